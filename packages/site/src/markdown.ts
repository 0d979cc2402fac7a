import hljs from 'highlight.js/lib/common';
import MarkdownIt, { type Token } from 'markdown-it';

import { anchors } from './slug.ts';

/** A part of a page below one heading. */
export interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  readonly outline: readonly { readonly anchor: string; readonly heading: string }[];
}

/** What the links and pictures of a page become. */
export interface Targets {
  link(href: string): string;
  /** The HTML of a picture. */
  picture(source: string, alternative: string): string;
}

const LANGUAGES: Readonly<Record<string, string>> = { js: 'javascript', ts: 'typescript', '': 'plaintext' };

export function renderMarkdown(text: string, targets: Targets): Rendered {
  const markdown = new MarkdownIt({ html: true, linkify: false, highlight });
  // The comments are marks for the generators of tables.
  const tokens = markdown.parse(text.replaceAll(/<!--.*?-->/gs, ''), {});
  const sections = nameHeadings(tokens);
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const href = token.attrGet('href');
    if (token.type === 'link_open' && typeof href === 'string') token.attrSet('href', targets.link(href));
  }
  const { rules } = markdown.renderer;
  rules['image'] = (list, index) => targets.picture(String(list[index]!.attrGet('src')), list[index]!.content);
  // What scrolls must be reached by the keyboard.
  rules['table_open'] = () => '<div class="scrolls" role="group" aria-label="Table" tabindex="0"><table>';
  rules['table_close'] = () => '</table></div>';
  // A cell without text is no heading.
  rules['th_open'] = (list, index, options, _environment, renderer) => {
    const isEmpty = list[index + 1]?.content.trim() === '';
    return isEmpty ? '<td>' : renderer.renderToken(list, index, options);
  };
  rules['th_close'] = (list, index) => (list[index - 1]?.content.trim() === '' ? '</td>' : '</th>');
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return {
    title: sections[0]?.heading ?? '',
    html: html.replaceAll('<pre><code', '<pre tabindex="0"><code'),
    sections: sections.map(({ anchor, heading, text: lines }) => ({ anchor, heading, text: lines.join(' ') })),
    outline: sections.filter(({ level }) => level === 2).map(({ anchor, heading }) => ({ anchor, heading })),
  };
}

/** Gives each heading its anchor, and returns the headings with the text below each. */
function nameHeadings(tokens: readonly Token[]) {
  const anchorOf = anchors();
  const sections: { anchor: string; heading: string; level: number; text: string[] }[] = [];
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[index + 1]);
      const anchor = anchorOf(heading);
      token.attrSet('id', anchor);
      sections.push({ anchor, heading, level: Number(token.tag.slice(1)), text: [] });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      sections.at(-1)?.text.push(plainText(token));
    }
  });
  return sections;
}

function plainText(token: Token | undefined): string {
  const parts = token?.children ?? [];
  return parts
    .filter(({ type }) => ['text', 'code_inline', 'softbreak'].includes(type))
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('');
}

function highlight(code: string, name: string): string {
  const language = LANGUAGES[name] ?? name;
  return hljs.getLanguage(language) === undefined ? '' : hljs.highlight(code, { language }).value;
}
