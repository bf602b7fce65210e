/** Text that is HTML already. The template `html` escapes everything else. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Fragment = string | number | false | undefined | Markup | readonly Fragment[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter);

const render = (fragment: Fragment): string => {
  if (fragment instanceof Markup) return fragment.text;
  if (typeof fragment === 'object') return fragment.map(render).join('');
  return fragment === undefined || fragment === false ? '' : escapeHtml(String(fragment));
};

/** A tagged template for HTML. Interpolated values are escaped, unless they are `Markup`. */
export const html = (strings: TemplateStringsArray, ...fragments: readonly Fragment[]): Markup =>
  new Markup(strings.map((text, index) => text + render(fragments[index])).join(''));
