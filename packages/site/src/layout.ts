import type { Storey } from './navigation.ts';
import type { Rendered } from './markdown.ts';
import { addressOf, CONTENTS } from './pages.ts';
import { relativeAddress } from './relative.ts';

interface Frame {
  readonly address: string;
  readonly file: string;
  readonly page: Rendered;
  readonly navigation: readonly Storey[];
  readonly version: string;
  /** The file on GitHub. */
  readonly onGitHub: string;
}

/** Sets the theme before the first paint; without storage (some browsers refuse it to files) the system's holds. */
const THEME = `try{const t=localStorage.getItem('loopwatch-theme');if(t)document.documentElement.dataset.theme=t}catch{}`;

/** A whole HTML page. */
export function htmlPage({ address, file, page, navigation, version, onGitHub }: Frame): string {
  const to = (target: string): string => relativeAddress(address, target);
  const title = file === 'README.md' ? 'Loopwatch: what blocks the event loop' : `${page.title} · Loopwatch`;
  return `<!doctype html>
<html lang="en" data-root="${to('search.js').replace('search.js', '')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<script>${THEME}</script>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script defer src="${to('site.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="brand" href="${to('index.html')}">Loopwatch</a> <span class="version">${escapeHtml(version)}</span>
<search><label class="unseen" for="search">Search</label><input id="search" type="search" placeholder="Search" autocomplete="off" aria-controls="found"></search>
<button type="button" id="theme" title="Dark or light">Theme</button>
<a href="https://github.com/loopwatch/loopwatch">GitHub</a>
</header>
<div id="found" role="region" aria-label="Search results" aria-live="polite" hidden></div>
<div class="columns">
<nav id="navigation" aria-label="Pages">
${navigation.map((storey) => storeyHtml(storey, file, to)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${outlineHtml(page)}${page.html}
<p class="source"><a href="${onGitHub}">This page on GitHub</a> · <a href="${to(addressOf(CONTENTS))}">All pages</a></p>
</main>
</div>
</body>
</html>
`;
}

function storeyHtml({ title, groups }: Storey, file: string, to: (target: string) => string): string {
  const lists = groups.map((group) => {
    const items = group.links.map((link) => {
      const current = link.file === file ? ' aria-current="page"' : '';
      return `<li><a href="${to(addressOf(link.file))}"${current}>${escapeHtml(link.label)}</a></li>`;
    });
    const heading = group.title === '' ? '' : `<p class="group">${escapeHtml(group.title)}</p>`;
    return `${heading}<ul>${items.join('')}</ul>`;
  });
  return `<p class="storey">${escapeHtml(title)}</p>${lists.join('')}`;
}

function outlineHtml({ outline }: Rendered): string {
  if (outline.length < 3) return '';
  const items = outline.map(({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`);
  return `<nav class="outline" aria-label="On this page"><ul>${items.join('')}</ul></nav>\n`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
