// The theme, the menu of narrow windows, and the search. No module: a page that was opened from a folder has none.
/* global document, localStorage, MiniSearch */
const root = document.documentElement;
const theme = document.getElementById('theme');
const menu = document.getElementById('menu');
const field = document.getElementById('search');
const found = document.getElementById('found');

theme.addEventListener('click', () => {
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : globalThis.matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('loopwatch-theme', root.dataset.theme);
  } catch {
    // The choice holds for this page.
  }
});

menu.addEventListener('click', () => {
  const isOpen = menu.getAttribute('aria-expanded') === 'true';
  menu.setAttribute('aria-expanded', String(!isOpen));
  document.body.classList.toggle('with-menu', !isOpen);
});

let search;

/** Loads the index when it is first needed. */
function searcher() {
  search ??= Promise.all([load('minisearch.js'), load('search.js')]).then(() => {
    const index = new MiniSearch({
      fields: ['heading', 'page', 'text'],
      storeFields: ['heading', 'page', 'text'],
      searchOptions: { boost: { heading: 4, page: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
    });
    index.addAll(globalThis.loopwatchSections);
    return index;
  });
  return search;
}

function load(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = root.dataset.root + name;
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error(`Expected ${name} beside the pages.`)));
    document.head.append(script);
  });
}

field.addEventListener('focus', () => void searcher());
field.addEventListener('input', async () => {
  const words = field.value.trim();
  const index = await searcher();
  if (words !== field.value.trim()) return;
  found.hidden = words === '';
  const results = words === '' ? [] : index.search(words).slice(0, 12);
  const list = document.createElement('ul');
  list.append(...results.map((result) => item(result, words)));
  found.replaceChildren(results.length > 0 ? list : paragraph(`Nothing has "${words}" in it.`));
});

function item({ id, page, heading, text }, words) {
  const link = document.createElement('a');
  link.href = root.dataset.root + id;
  link.textContent = heading === '' ? page : `${page}: ${heading}`;
  link.addEventListener('click', close);
  const [first] = words.toLowerCase().split(/\s+/);
  const near = Math.max(0, text.toLowerCase().indexOf(first) - 60);
  const from = near > 0 ? text.indexOf(' ', near) + 1 : 0;
  const to = text.indexOf(' ', from + 150);
  const element = document.createElement('li');
  element.append(link, paragraph(`${from > 0 ? '… ' : ''}${to < 0 ? text.slice(from) : `${text.slice(from, to)} …`}`));
  return element;
}

function paragraph(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

function close() {
  found.hidden = true;
  field.value = '';
}

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof globalThis.HTMLInputElement;
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    field.focus();
  } else if (event.key === 'Escape') {
    close();
  }
});
