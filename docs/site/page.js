// All that the page does by itself: search, copy, tabs, and marking in the contents where one is. It works without, too.

/** The form that is shown: forms that the address does not name are hidden. */
const shownForm = () => [...document.querySelectorAll('.form')].find((form) => form.offsetParent !== null);

for (const button of document.querySelectorAll('.copy')) {
  const source = button.nextElementSibling;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      // Without a secure address there is no clipboard: the text is marked, ready for the keyboard.
      getSelection().selectAllChildren(source);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}

// Tabs: one language at a time, the same in every group.
const groups = [...document.querySelectorAll('.tabs')];

const choose = (language) => {
  for (const group of groups) {
    for (const tab of group.querySelectorAll('[role=tab]')) {
      const chosen = tab.textContent === language;
      tab.ariaSelected = String(chosen);
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')).hidden = !chosen;
    }
  }
};

for (const [index, group] of groups.entries()) {
  const list = document.createElement('div');
  list.role = 'tablist';
  list.ariaLabel = 'Language';
  for (const panel of group.querySelectorAll('.tab')) {
    const { language } = panel.dataset;
    const tab = document.createElement('button');
    panel.id = `tab-${index}-${language}`;
    panel.role = 'tabpanel';
    panel.ariaLabel = language;
    panel.querySelector('.language').remove();
    tab.type = 'button';
    tab.role = 'tab';
    tab.textContent = language;
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => choose(language));
    list.append(tab);
  }
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const tabs = [...list.children];
    const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length);
    next.click();
    next.focus();
  });
  group.prepend(list);
}
if (groups.length > 0) choose('curl');

// Search: everything in the form that has a name and an address.
const most = 12;

const rank = (name, text) => {
  const at = name.toLowerCase().indexOf(text);
  if (at === -1) return 3;
  return name.length === text.length ? 0 : at === 0 ? 1 : 2;
};

const find = (form, text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return [...form.querySelectorAll('[data-find]')]
    .map(({ id, dataset }) => ({ id, name: dataset.find, kind: dataset.kind }))
    .filter(({ name, kind }) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)))
    .sort((left, right) => rank(left.name, words[0]) - rank(right.name, words[0]));
};

const resultOf = ({ id, name, kind }) => {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const aside = document.createElement('span');
  link.setAttribute('href', `#${id}`);
  aside.textContent = kind;
  link.append(name, ' ', aside);
  item.append(link);
  return item;
};

for (const search of document.querySelectorAll('.search')) {
  const form = search.closest('.form');
  const input = search.querySelector('input');
  const list = search.querySelector('.found');
  const status = search.querySelector('.count');
  const show = () => {
    const results = find(form, input.value);
    list.replaceChildren(...results.slice(0, most).map(resultOf));
    const more = results.length > most ? `, the first ${most} are shown` : '';
    status.textContent = input.value.trim() === '' ? '' : `${results.length} found${more}`;
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

addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const input = shownForm()?.querySelector('.search input');
  if (input === undefined || input === null) return;
  event.preventDefault();
  input.focus();
});

// Contents: the last section that begins above the upper third of the window.
const markPlace = () => {
  const form = shownForm();
  if (form === undefined) return;
  const links = [...form.querySelectorAll('.contents a[href^="#"]')];
  const begun = links.filter(
    ({ hash }) => document.getElementById(hash.slice(1)).getBoundingClientRect().top < innerHeight / 3,
  );
  const here = begun.at(-1)?.hash;
  for (const link of links) {
    if (link.hash !== here) link.removeAttribute('aria-current');
    else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location');
      const side = link.closest('aside');
      const { top, bottom } = link.getBoundingClientRect();
      if (link.offsetParent !== null && (top < 0 || bottom > innerHeight)) side.scrollTop += top - innerHeight / 2;
    }
  }
};

let isWaiting = false;
addEventListener(
  'scroll',
  () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      markPlace();
    });
  },
  { passive: true },
);
markPlace();

addEventListener('hashchange', () => {
  for (const contents of document.querySelectorAll('.narrow')) contents.open = false;
  markPlace();
});
