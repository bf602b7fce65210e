import { forms } from '../../../adapters/forms/forms.ts';
import { createReference, type Reference } from '../../../adapters/reference/handler.ts';
import { createTestGateway, type TestGateway, type TestGatewayOptions } from '../gateway.ts';
import { referenceOptions } from '../reference.ts';

/** A gateway whose pages have its own address, as those of a running one have. */
export const openDocsGateway = async (options: TestGatewayOptions): Promise<TestGateway> => {
  let reference: Reference | undefined;
  const gateway = await createTestGateway({ ...options, reference: (context) => reference?.handle(context) });
  const baseUrl = `http://127.0.0.1:${gateway.port}`;
  reference = createReference(forms, { ...referenceOptions, baseUrl, sandboxUrl: undefined });
  return gateway;
};

/** The code in a tab of a page. */
export interface Tab {
  readonly form: string;
  readonly language: string;
  /** As a browser shows it. */
  readonly code: string;
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

const textOf = (html: string): string =>
  html.replaceAll(/<[^>]*>/g, '').replaceAll(/&[a-z0-9#]+;/g, (name) => characters[name] ?? name);

/** All tabs of the page, in its order. */
export const tabsIn = (page: string): readonly Tab[] =>
  page
    .split('<div class="form" id="')
    .slice(1)
    .flatMap((part) => {
      const form = part.slice(0, part.indexOf('"'));
      const tabs = part.matchAll(
        /<div class="tab" data-language="(\w+)">.*?<pre[^>]*><code[^>]*>(.*?)<\/code><\/pre>/gs,
      );
      return [...tabs].map(([, language = '', code = '']) => ({ form, language, code: textOf(code) }));
    });
