// Copy buttons, tabs, and the current section in the contents. Pages work without this script.

/** Opens the folded parts around the element that the address names, and scrolls to it. */
const openTarget = () => {
  const target =
    location.hash === ''
      ? null
      : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target?.closest('details'); part; part = part.parentElement.closest('details'))
    part.open = true;
  target?.scrollIntoView();
};
openTarget();

/** Announces to screen readers what a button did: they do not read its text again. */
const announcement = document.createElement('p');
announcement.role = 'status';
announcement.className = 'announcement';
document.body.append(announcement);

for (const button of document.querySelectorAll('.copy')) {
  const source = button.nextElementSibling;
  // The folded rest of a program belongs before the lines that are shown.
  const rest = button.parentElement.querySelector('details');
  const first = rest?.querySelector('pre');
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(
        [first, source].flatMap((part) => part?.textContent ?? []).join('\n\n'),
      );
      button.textContent = 'Copied';
    } catch {
      // On plain HTTP there is no clipboard: select the text, so that the keyboard can copy it.
      if (first !== undefined) {
        rest.open = true;
        source.before(rest);
      }
      getSelection().setBaseAndExtent(first ?? source, 0, source, source.childNodes.length);
      button.textContent = 'Selected';
    }
    announcement.textContent = button.textContent;
    setTimeout(() => {
      button.textContent = 'Copy';
      announcement.textContent = '';
    }, 1500);
  });
}

// Tabs: all groups show the same language, also on the next visit.
const groups = [...document.querySelectorAll('.tabs')];

/** The browser's storage; `undefined` if its settings forbid it. */
const openStore = () => {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
};
const store = openStore();

const choose = (language) => {
  for (const group of groups) {
    const tabs = [...group.querySelectorAll('[role=tab]')];
    const chosen = tabs.find(({ textContent }) => textContent === language) ?? tabs[0];
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      // `until-found`: the browser's search finds text in hidden tabs and opens them.
      const panel = document.getElementById(tab.getAttribute('aria-controls'));
      if (tab === chosen) panel.removeAttribute('hidden');
      else panel.setAttribute('hidden', 'until-found');
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
    panel.addEventListener('beforematch', () => choose(language));
    tab.type = 'button';
    tab.role = 'tab';
    tab.textContent = language;
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => {
      choose(language);
      store?.setItem('language', language);
    });
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
choose(store?.getItem('language'));

// Contents: mark the last section that begins above the upper third of the window.
const links = [...document.querySelectorAll('.contents a[href^="#"]')];
const markPlace = () => {
  const begun = links.filter(
    ({ hash }) =>
      document.getElementById(hash.slice(1)).getBoundingClientRect().top < innerHeight / 3,
  );
  const here = begun.at(-1)?.hash;
  for (const link of links) {
    if (link.hash !== here) link.removeAttribute('aria-current');
    else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location');
      const { top, bottom } = link.getBoundingClientRect();
      if (link.offsetParent !== null && (top < 0 || bottom > innerHeight))
        link.closest('aside').scrollTop += top - innerHeight / 2;
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
  openTarget();
  for (const contents of document.querySelectorAll('.narrow')) contents.open = false;
  markPlace();
});
