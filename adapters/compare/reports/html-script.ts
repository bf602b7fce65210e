/** What the page does: filters by case and by kind, opens what a link points at, tells a line's reason under the pointer. */
export const pageScript = `
const main = document.querySelector('main');
const form = document.querySelector('form');
const reasons = JSON.parse(document.getElementById('reasons').textContent);
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
document.addEventListener('mouseover', (event) => {
  const line = event.target.closest('.line');
  if (line !== null && line.title === '') line.title = reasons[line.dataset.why] ?? '';
});
apply();
`;
