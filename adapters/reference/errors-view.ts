import { html, type Markup } from '../text/html.ts';
import type { FormReference } from './form-view.ts';
import { renderInline } from './markdown.ts';

/** An error code, and what it is in each form, by the form's name. */
interface CodeRow {
  readonly code: string;
  readonly forms: ReadonlyMap<string, { readonly statuses: string; readonly meanings: readonly string[] }>;
}

const codesOf = ({ declaration }: FormReference): readonly string[] =>
  Object.entries(declaration.problems)
    .filter(([kind]) => kind in declaration.contract.problems)
    .map(([, { code }]) => code);

const inForm = ({ declaration }: FormReference, code: string) => {
  const kinds = Object.entries(declaration.problems).filter(
    ([kind, problem]) => problem.code === code && kind in declaration.contract.problems,
  );
  const texts = Object.entries(declaration.contract.problems).filter(([kind]) => kinds.some(([own]) => own === kind));
  return {
    statuses: [...new Set(kinds.map(([, { status }]) => status))].join(', '),
    meanings: [...new Set(texts.map(([, text]) => text))],
  };
};

const rowsOf = (references: readonly FormReference[]): readonly CodeRow[] =>
  [...new Set(references.flatMap(codesOf))].map((code) => ({
    code,
    forms: new Map(references.map((reference) => [reference.form, inForm(reference, code)])),
  }));

/** One list of the error codes of every form, in each form's part of the page. */
export const errorsView = (form: string, references: readonly FormReference[]): Markup =>
  html`<section id="${form}-errors" data-find="Error codes" data-kind="all forms"><h2><a href="#${form}-errors">Error codes</a></h2>
<p>The codes of every form: <code>error.code</code> in the current form, <code>error</code> in the variant form.</p>
<div class="table" tabindex="0"><table><thead><tr><th>Code</th>${references.map(
    (reference) => html`<th>${reference.form} form</th>`,
  )}</tr></thead><tbody>${rowsOf(references).map(
    ({ code, forms }) =>
      html`<tr id="${form}-error-${code}" data-find="${code}" data-kind="error code"><td><a href="#${form}-error-${code}"><code class="name">${code}</code></a></td>${[
        ...forms.values(),
      ].map(
        ({ statuses, meanings }) =>
          html`<td>${statuses === '' ? '–' : html`<span class="status bad">${statuses}</span>`}${meanings.map(
            (meaning) => html`<p>${renderInline(meaning)}</p>`,
          )}</td>`,
      )}</tr>`,
  )}</tbody></table></div></section>`;
