// Search over all pages. The build puts the library `MiniSearch` and the lists `entries` and `otherForms` before this file.

const maxResults = 12;
const lineLength = 110;

/** The address below which all pages are. */
const base = new URL('..', document.currentScript.src);

/** Words of a query that do not narrow it. */
const fillers = new Set(
  'a an and are at can do does for from how i in is it me my of on or the this to use what when where which why with you your'.split(
    ' ',
  ),
);

/** The form of a page; `''` for the first form and for pages about both. */
const formOf = (url) => otherForms.find((form) => `${url}/`.match(`^/docs/${form}[/#]`)) ?? '';
const shownForm = formOf(location.pathname.slice(base.pathname.length - 1));

/** The weight of a result. Chapters explain what table rows only name. The page's own form comes first. */
const weightOf = ({ name, kind, url }) => {
  const own = formOf(url) === shownForm ? 1 : 0.2;
  if (kind === 'chapter' || kind === 'introduction' || kind === 'page') return own * 4;
  return own * (kind === 'details' || kind === 'error code' || name.startsWith('GET ') ? 2 : 1);
};

/** Endpoints and chapters by the names that they had when `/docs` was one page. */
const oldEndpoints = {
  listArtists: 'artists',
  getArtist: 'artist',
  listAddedArtists: 'added',
  listSpikes: 'spikes',
  listSignings: 'signings',
  getHealth: 'health',
};
const oldChapters = {
  errors: 'error-codes',
  'move-between-the-forms': 'two-forms',
  'read-the-headers': 'headers',
  'try-every-answer': 'try-every-response',
};

/** Opens the place that an anchor of that page named, such as `variant-error-rate_limited`. */
const openOldAnchor = () => {
  const [, form, name = ''] = /^#(current|variant)(?:-(.*))?$/.exec(location.hash) ?? [];
  if (form === undefined) return;
  const home = form === 'current' ? '/docs' : `/docs/${form}`;
  const [operation, ...rest] = name.split('-');
  const place = name.replace(/^error-/, '');
  // What both forms have, the search knows once, on a page of the first form.
  const urls = [form, ''].flatMap((own) => entries.filter(({ url }) => formOf(url) === own));
  const toOwn = (url) =>
    form === 'current'
      ? url
      : url
          .replace(/^\/docs\/errors/, home)
          .replace(/^\/docs\/endpoints\/artist\b/, '/docs/endpoints/artists')
          .replace(/^\/docs\/endpoints/, `${home}/endpoints`);
  const find = (id) => {
    const found = urls.find(({ url }) => url.endsWith(`#${id}`));
    return found && toOwn(found.url);
  };
  const endpoint = `${home}/endpoints/${oldEndpoints[operation]}`;
  const url =
    operation in oldEndpoints
      ? [endpoint, ...(rest.length > 0 ? [rest.join('-')] : [])].join('#')
      : (find(place) ?? find(oldChapters[place]) ?? find(place.split('.')[0]) ?? home);
  location.replace(new URL(url.slice(1), base));
};
openOldAnchor();
addEventListener('hashchange', openOldAnchor);

const createIndex = () => {
  const index = new MiniSearch({
    fields: ['name', 'words', 'kind', 'text'],
    storeFields: ['name', 'kind', 'text', 'url'],
    processTerm: (term) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { name: 3, words: 4, kind: 0.5 },
      bm25: { k: 1.2, b: 0.4, d: 0.5 }, // rank long chapters almost like short ones
      prefix: (term) => term.length > 1,
      weights: { fuzzy: 0.1, prefix: 0.4 },
      boostDocument: (_id, _term, stored) => weightOf(stored),
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, words: '', ...entry })));
  return index;
};

/** Allows errors in a quarter of the letters of a word with more than three. */
const fuzzy = (term) => (term.length > 3 && !/\d/.test(term) ? 0.25 : false);

/** Returns what has all words, else all of them misspelt, else any of them. */
const find = (index, text) => {
  const ways = [{ combineWith: 'AND' }, { combineWith: 'AND', fuzzy }, { fuzzy }];
  return ways
    .map((way) => () => index.search(text, way))
    .reduce((found, search) => (found.length > 0 ? found : search()), []);
};

/** The part of a text around its first match. */
const lineOf = ({ text, terms }) => {
  const small = text.toLowerCase();
  const [at = 0] = terms
    .map((term) => small.indexOf(term))
    .filter((place) => place !== -1)
    .sort((left, right) => left - right);
  const begin = at < lineLength / 2 ? 0 : text.indexOf(' ', at - lineLength / 3) + 1;
  const line = text.slice(begin, begin + lineLength);
  return `${begin > 0 ? '… ' : ''}${line}${begin + lineLength < text.length ? ' …' : ''}`;
};

const resultOf = (result) => {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const aside = document.createElement('span');
  const line = document.createElement('span');
  link.href = new URL(result.url.slice(1), base);
  aside.textContent = result.kind;
  line.className = 'line';
  line.textContent = lineOf(result);
  link.append(result.name, ' ', aside, ' ', line);
  item.append(link);
  return item;
};

/** Shown if nothing is found: the chapters of this form. */
const waysOn = () =>
  entries
    .filter(
      ({ kind, url }) =>
        ['details', 'introduction', 'page'].includes(kind) && formOf(url) === shownForm,
    )
    .map((entry) => ({ ...entry, terms: [] }));

for (const search of document.querySelectorAll('.search')) {
  const input = search.querySelector('input');
  const list = search.querySelector('.found');
  const status = search.querySelector('.count');
  let index;
  const show = () => {
    const text = input.value.trim();
    index ??= text === '' ? undefined : createIndex();
    const results = text === '' ? [] : find(index, text);
    const isEmpty = text !== '' && results.length === 0;
    list.replaceChildren(...(isEmpty ? waysOn() : results.slice(0, maxResults)).map(resultOf));
    const more = results.length > maxResults ? `, the first ${maxResults} are shown` : '';
    if (text === '') status.textContent = '';
    else
      status.textContent = isEmpty
        ? 'Nothing found. Look here, or try another word:'
        : `${results.length} found${more}`;
  };
  const clear = () => {
    input.value = '';
    show();
  };
  search.hidden = false;
  input.addEventListener('input', show);
  search.addEventListener('click', ({ target }) => {
    if (target.closest('a') !== null) setTimeout(clear);
  });
  search.addEventListener('keydown', (event) => {
    if (event.isComposing) return; // Enter ends the composition of an input method
    const stops = [input, ...list.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      clear();
      input.focus();
    } else if (event.key === 'Enter' && event.target === input) {
      stops[1]?.click();
    } else if (step !== undefined) {
      event.preventDefault();
      stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus();
    }
  });
}

// `/` focuses the search, unless the reader turns it off (WCAG 2.1.4).
const isOn = () => store?.getItem('shortcut') !== 'off';
const showShortcut = () => {
  for (const input of document.querySelectorAll('.search input'))
    input.placeholder = isOn() ? 'Search  /' : 'Search';
  for (const button of document.querySelectorAll('.shortcut')) button.ariaPressed = String(isOn());
};
for (const search of document.querySelectorAll('.search')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'shortcut';
  button.textContent = 'Key / for search';
  button.addEventListener('click', () => {
    store?.setItem('shortcut', isOn() ? 'off' : 'on');
    showShortcut();
  });
  search.querySelector('input').after(button);
}
showShortcut();

addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, textarea');
  if (!isOn() || event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const input = document.querySelector('.search input');
  event.preventDefault();
  input.focus();
});
