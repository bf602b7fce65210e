import { errorAnchor } from '../openapi/headers.ts';
import { html, type Markup } from '../text/html.ts';
import { namedRow, namedSection, table } from './elements.ts';
import type { FormReference } from './form-reference.ts';
import { renderInline } from './markdown.ts';

/** The problems of a form that its contract lists: the code, status and meaning of each. */
export const problemsIn = ({ declaration: { problems, contract } }: FormReference) =>
  Object.entries(problems).flatMap(([kind, { code, status }]) =>
    Object.entries(contract.problems).flatMap(([own, meaning]) => (own === kind ? [{ code, status, meaning }] : [])),
  );

/** What an error code is in a form. */
const codeCell = (reference: FormReference, code: string): Markup => {
  const problems = problemsIn(reference).filter((problem) => problem.code === code);
  const statuses = [...new Set(problems.map(({ status }) => status))].join(', ');
  const meanings = [...new Set(problems.map(({ meaning }) => meaning))];
  return html`<td>${statuses === '' ? '–' : html`<span class="status bad">${statuses}</span>`}${meanings.map(
    (meaning) => html`<p>${renderInline(meaning)}</p>`,
  )}</td>`;
};

/** Where a form's errors have their code, like `error.code`. */
const codeMember = (error: object, code: string): string =>
  Object.entries(error)
    .flatMap(([name, value]) => {
      if (value === code) return [name];
      return typeof value === 'object' ? [`${name}.${codeMember(value, code)}`] : [];
    })
    .join();

/** One list of the error codes of every form, in each form's part of the page. */
export const errorsView = (form: string, references: readonly FormReference[]): Markup => {
  const codes = [...new Set(references.flatMap((reference) => problemsIn(reference).map(({ code }) => code)))];
  const members = references.map(({ form: name, declaration }, index) => {
    const member = codeMember(declaration.presentProblem('the code', '', ''), 'the code');
    return html`${index > 0 && ', '}<code>${member}</code> in the ${name} form`;
  });
  const rows = codes.map((code) => {
    const cells = references.map((reference) => codeCell(reference, code));
    return namedRow(errorAnchor(form, code), code, 'error code', undefined, cells);
  });
  return namedSection(
    `${form}-errors`,
    'Error codes',
    'details',
    html`<p>The codes of every form: ${members}.</p>${table(['Code', ...references.map((each) => `${each.form} form`)], rows)}`,
  );
};
