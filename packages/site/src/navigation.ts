import { type PageLink, relativeFile } from './relative.ts';

/** A storey of the documentation: a heading of docs/README.md. */
export interface Storey {
  readonly title: string;
  readonly groups: readonly Group[];
}

export interface Group {
  /** Empty: the links stand directly below the storey. */
  readonly title: string;
  readonly links: readonly PageLink[];
}

/** Reads docs/README.md: `##` is a storey, `###` a group, the first link of a list item a page. */
export function readNavigation(contents: string, file: string): readonly Storey[] {
  const [, ...storeys] = contents.split(/^## /m);
  return storeys.map((storey) => {
    const [head = '', ...groups] = storey.split(/^### /m);
    const [title = ''] = head.split('\n', 1);
    const all = [`\n${head.slice(title.length)}`, ...groups].map((group) => readGroup(group, file));
    return { title: title.trim(), groups: all.filter(({ links }) => links.length > 0) };
  });
}

function readGroup(text: string, file: string): Group {
  const [title = ''] = text.split('\n', 1);
  const items = text.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm);
  return {
    title: title.trim(),
    links: [...items].map(([, label = '', target = '']) => ({
      label: label.replaceAll('`', ''),
      file: relativeFile(file, target),
    })),
  };
}
