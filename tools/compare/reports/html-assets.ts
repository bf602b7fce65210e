import { rowKinds } from '../../migration/mapping/rows.ts';

/** A text as a class name. */
export const toClass = (text: string): string => text.replaceAll(/[^a-z0-9]+/gi, '-');

/**
 * The page's style: light or dark as the reader's system prefers, two columns on a desktop and on a
 * phone.
 */
export const pageStyle = `
:root { color-scheme: light dark;
  --paper: #fff; --panel: #f5f6f8; --ink: #1a1d23; --soft: #5d6673; --edge: #d9dde3; --bad: #c01c28; --bad-paper: #fdeceb;
  --mark: #ffb3ad; --good: #1c7c3c; --same: #737c88; --renamed: #2f6fdb; --moved: #7a4fd0; --derived: #0b8276;
  --scope-gated: #b06a00; --only-current: #0f86b3; --only-variant: #b8458e; --volatile: #7d7f86; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14161a; --panel: #1d2026; --ink: #e6e8ec; --soft: #9aa3af; --edge: #343942; --bad: #ff7b72; --bad-paper: #3a1a1c;
  --mark: #8f2b2b; --good: #5fd38a; --same: #8d97a5; --renamed: #77a7ff; --moved: #b699ff; --derived: #4fd1c1;
  --scope-gated: #f0b35a; --only-current: #5cc8f0; --only-variant: #f08bc8; --volatile: #9a9ca3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 82rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
p { margin: .2rem 0; } small, .soft { color: var(--soft); font-size: .85rem; } a { color: inherit; }
.verdict { display: inline-block; margin: .6rem 0; padding: .35rem .8rem; border-radius: .5rem; font-weight: 650;
  color: var(--good); border: 2px solid currentColor; }
.verdict.bad { background: var(--bad); color: var(--paper); border-color: var(--bad); }
.found { border: 1px solid var(--bad); border-left-width: 6px; border-radius: .4rem; margin: .6rem 0; background: var(--bad-paper); }
.found > header { padding: .5rem .7rem .1rem; } .found > header a { font-weight: 650; }
.found .line { border: 0; background: none; }
form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center;
  padding: .5rem 0; margin-top: 1rem; background: var(--paper); border-bottom: 1px solid var(--edge); }
form input[type=search] { font: inherit; padding: .3rem .5rem; width: 15rem; max-width: 100%; }
label { display: inline-flex; align-items: center; gap: .3rem; font-size: .85rem; white-space: nowrap; }
label.kind { padding: .1rem .5rem; border-radius: .3rem; border: 1px solid var(--edge); border-left: 5px solid var(--tint); }
details.case { border: 1px solid var(--edge); border-radius: .4rem; margin: .5rem 0; }
details.case.bad { border-color: var(--bad); }
details.case > summary { padding: .5rem .7rem; background: var(--panel); border-radius: .4rem; cursor: pointer; }
details.case > summary b { margin-right: .5rem; } summary { cursor: pointer; }
.badge { background: var(--bad); color: var(--paper); border-radius: 1rem; padding: 0 .6rem; margin-left: .5rem;
  font-size: .8rem; font-weight: 650; white-space: nowrap; }
.block { margin: .1rem .7rem .2rem; } .block[open] { margin-bottom: .7rem; } .block > summary { padding: .15rem 0; font-weight: 600; }
.heads, .line { display: grid; grid-template-columns: 6.6rem 1fr 1fr; gap: 0 .8rem; }
.heads { padding: .4rem .7rem 0 1.1rem; font-size: .8rem; color: var(--soft); }
.heads code { color: var(--ink); }
.line { --tint: var(--same); padding: .15rem .5rem; border-left: 4px solid var(--tint); border-bottom: 1px solid var(--edge);
  background: color-mix(in srgb, var(--tint) 7%, transparent); }
.line i { font-style: normal; font-size: .74rem; color: var(--soft); padding-top: .1rem; }
.line.same { background: none; }
${rowKinds.map((kind) => `.${toClass(kind)} { --tint: var(--${toClass(kind)}); }`).join(' ')}
.side b { display: block; font: 600 .74rem/1.3 ui-monospace, monospace; color: var(--soft); }
code { font: .82rem/1.35 ui-monospace, monospace; } .none { color: var(--soft); }
.line.bad { --tint: var(--bad); background: var(--bad-paper); box-shadow: -4px 0 var(--bad); }
.line.bad code { font-weight: 650; } mark { background: var(--mark); color: inherit; border-radius: .2rem; padding: 0 .1rem; }
.wrong { grid-column: 2 / -1; color: var(--bad); font-weight: 650; font-size: .9rem; } .wrong::before { content: '✗ '; }
.wrong small { font-weight: 400; margin-left: .4rem; } .found .heads { padding-top: 0; }
[hidden], ${rowKinds.map((kind) => `.hide-${toClass(kind)} .line.${toClass(kind)}:not(.bad)`).join(', ')} { display: none; }
@media (max-width: 40rem) {
  body { padding: .6rem; font-size: 14px; }
  .heads, .line { grid-template-columns: 1fr 1fr; gap: 0 .5rem; }
  .heads > :first-child, .line i { display: none; }
  .wrong { grid-column: 1 / -1; } .block { margin: .3rem .3rem .6rem; }
  form { position: static; } form input[type=search] { width: 100%; }
  details.case > summary small { display: block; }
}
`;

/** Filters by case and by kind, and opens the target of a link. */
export const pageScript = `
const main = document.querySelector('main');
const form = document.querySelector('form');
const cases = [...document.querySelectorAll('details.case')];
const apply = () => {
  const sought = form.sought.value.trim().toLowerCase();
  const onlyBad = form.onlyBad.checked;
  for (const one of cases) {
    const isMeant = one.dataset.text.includes(sought) && (!onlyBad || one.classList.contains('bad'));
    one.hidden = !isMeant;
  }
  for (const box of form.querySelectorAll('input[data-kind]')) {
    main.classList.toggle('hide-' + box.dataset.kind, !box.checked);
  }
};
form.addEventListener('input', apply);
form.addEventListener('submit', (event) => event.preventDefault());
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  target.hidden = false;
  target.open = true;
  target.scrollIntoView();
};
addEventListener('hashchange', openTarget);
openTarget();
apply();
`;
