import { publicPathOf } from '../http/response-headers.ts';
import { escapeHtml } from '../text/html.ts';

/** Facts about the running gateway, for the pages. */
export interface SiteValues {
  /** The address at which partners reach the gateway. */
  readonly baseUrl: string;
  /** An e-mail address or a URL. */
  readonly supportContact: string | undefined;
  /** The URL of a gateway that accepts the demo keys. Without it no page shows a demo key. */
  readonly sandboxUrl: string | undefined;
  /** The form of requests with an unknown key. */
  readonly unknownKeyForm: string;
  /** The SHA-256 of `artist-gateway.mjs` as this gateway serves it, in hex. */
  readonly adapterDigest?: string | undefined;
}

/** The address in the built files, so that the programs among them run unchanged. */
export const builtAddress = 'http://127.0.0.1:3000';

const escapes: Readonly<Record<string, (value: string) => string>> = {
  'text/html': escapeHtml,
  'application/atom+xml': escapeHtml,
  'application/json': (value) => JSON.stringify(value).slice(1, -1),
};

/**
 * Creates the function that fills this gateway's values into a built file. `{{name}}` is a value,
 * `{{#name}}…{{/name}}` a text if the value is set, `{{^name}}…{{/name}}` a text if it is not.
 * Links from the root get the path of the address as a prefix.
 */
export const createFillIn = ({
  baseUrl,
  supportContact,
  sandboxUrl,
  unknownKeyForm,
  adapterDigest,
}: SiteValues) => {
  const isPage = /^https?:/.test(supportContact ?? '');
  const values: Readonly<Record<string, string | undefined>> = {
    sandbox: sandboxUrl,
    [`unknown_key_${unknownKeyForm}`]: unknownKeyForm,
    own_sandbox: sandboxUrl === baseUrl ? baseUrl : undefined,
    support: supportContact,
    adapter_digest: adapterDigest,
    support_kind: isPage ? 'url' : 'email',
    support_link: isPage ? supportContact : `mailto:${supportContact}`,
  };
  const path = publicPathOf(baseUrl);
  const chosen = (text: string): string =>
    text.replaceAll(
      /\{\{([#^])(\w+)\}\}\n?(.*?)\{\{\/\2\}\}\n?/gs,
      (_all, sign: string, name: string, inner: string) =>
        (values[name] !== undefined) === (sign === '#') ? chosen(inner) : '',
    );
  return (text: string, type: string): string => {
    const escapeValue = escapes[type] ?? String;
    const filled = chosen(text)
      // In one pass: a value may contain a placeholder.
      .replaceAll(/\{\{(\w+)\}\}|http:\/\/127\.0\.0\.1:3000/g, (found, name?: string) =>
        escapeValue(name === undefined ? baseUrl : (values[name] ?? found)),
      );
    if (type === 'text/html')
      return filled.replaceAll(/ (href|src)="\//g, ` $1="${escapeValue(path)}/`);
    return type === 'text/markdown' ? filled.replaceAll('](/', () => `](${baseUrl}/`) : filled;
  };
};
