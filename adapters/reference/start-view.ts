import { html, type Markup } from '../text/html.ts';
import { copyButton } from './code.ts';
import type { FormReference } from './form-view.ts';

/** A link to partner support: an address or a page. */
const contactLink = (contact: string): Markup =>
  /^https?:/.test(contact)
    ? html`<a href="${contact}" rel="noreferrer">${contact}</a>`
    : html`<a href="mailto:${contact}">${contact}</a>`;

/** What a partner needs first: the base address, the contract and how to import it, and whom to ask. */
export const startView = ({ baseUrl, contractPath, supportContact }: FormReference): Markup =>
  html`<dl class="start">
<div><dt>Base address</dt><dd><span class="copied">${copyButton}<code>${baseUrl}</code></span></dd></div>
<div><dt>Contract</dt><dd><a href="${contractPath}">OpenAPI 3.1, <code>${baseUrl}${contractPath}</code></a>
<p>Postman: Import, paste the address, choose <em>Parameter generation: Example</em>, then set the variable <code>bearerToken</code> to your key.
Insomnia: Import, From URL. Bruno: Import Collection, OpenAPI. Optional parameters come with examples; leave them off.</p></dd></div>
${supportContact !== undefined && html`<div><dt>Support</dt><dd>${contactLink(supportContact)}</dd></div>`}
</dl>`;
