// What every page does by itself: copy, tabs, and marking in the contents where one is. It works without, too.

/** The form that is shown: forms that the address does not name are hidden. */
const shownForm = () =>
  [...document.querySelectorAll('.form')].find((form) => form.offsetParent !== null);

/** Says to a screen reader what a button did: its own text is not read again. */
const announcement = document.createElement('p');
announcement.role = 'status';
announcement.className = 'announcement';
document.body.append(announcement);

for (const button of document.querySelectorAll('.copy')) {
  const source = button.nextElementSibling;
  // What makes a program run stands before the lines that are shown first.
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
      // Without a secure address there is no clipboard: the text is marked, ready for the keyboard.
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

// Tabs: one language at a time, the same in every group that has it and at the next visit.
const groups = [...document.querySelectorAll('.tabs')];

/** The store of the browser; `undefined` where its settings forbid it. */
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
      document.getElementById(tab.getAttribute('aria-controls')).hidden = tab !== chosen;
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

// Contents: the last section that begins above the upper third of the window.
const markPlace = () => {
  const form = shownForm();
  if (form === undefined) return;
  const links = [...form.querySelectorAll('.contents a[href^="#"]')];
  const begun = links.filter(
    ({ hash }) =>
      document.getElementById(hash.slice(1)).getBoundingClientRect().top < innerHeight / 3,
  );
  const here = begun.at(-1)?.hash;
  // The other form's part of the page opens at the same section, if it has it.
  for (const link of form.querySelectorAll('.switch a')) {
    const other = link.dataset.form;
    if (other === undefined) continue;
    const twin = `${other}${here?.slice(1 + form.id.length) ?? ''}`;
    link.hash = document.getElementById(twin) === null ? other : twin;
  }
  for (const link of links) {
    if (link.hash !== here) link.removeAttribute('aria-current');
    else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location');
      const side = link.closest('aside');
      const { top, bottom } = link.getBoundingClientRect();
      if (link.offsetParent !== null && (top < 0 || bottom > innerHeight))
        side.scrollTop += top - innerHeight / 2;
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
