import { objectsOf } from './contract-tables.ts';
import type { FormReference } from './form-reference.ts';
import type { ReferencePage } from './frame.ts';

/**
 * Where the anchors went that `/docs` had when it was one page: the beginning of each, and what
 * replaces it. The longest beginning counts.
 */
export const oldAnchors = (
  references: readonly FormReference[],
  pages: readonly ReferencePage[],
): readonly (readonly [from: string, to: string])[] =>
  references.flatMap((reference) => {
    const { form, home, isFirst, operations, pathOf, errorsPath, errorObjects } = reference;
    const chapterPages = pages.filter(({ path }) =>
      isFirst ? /^\/docs(\/(guides|tools|errors))?$/.test(path) : path === home,
    );
    const own: readonly (readonly [string, string])[] = [
      ['', home],
      ...chapterPages.flatMap(({ path, sections }) =>
        sections.map(({ id }) => [`-${id}`, `${path}#${id}`] as const),
      ),
      ['-errors', `${errorsPath}#error-codes`],
      ['-try-every-answer', `${errorsPath}#try-every-response`],
      ['-read-the-headers', `${errorsPath}#headers`],
      ['-error-', `${errorsPath}#`],
      ['-header-', `${errorsPath}#header-`],
      ...errorObjects.map((name) => [`-${name}`, `${errorsPath}#${name}`] as const),
      ...operations.flatMap((operation) => [
        [`-${operation.id}`, pathOf(operation)] as const,
        [`-${operation.id}-`, `${pathOf(operation)}#`] as const,
        ...objectsOf(operation, reference).map(
          ({ name }) => [`-${name}`, `${pathOf(operation)}#${name}`] as const,
        ),
      ]),
    ];
    return own.map(([from, to]) => [`${form}${from}`, to] as const);
  });
