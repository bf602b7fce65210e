import { visit } from 'jsonc-parser';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';

const nameEnd = /"\s*:/g;

/** How many names of members a JSON text has at most: a text in it may look like the end of one. */
const countNames = (text: string): number => {
  let count = 0;
  for (nameEnd.lastIndex = 0; nameEnd.test(text); ) count += 1;
  return count;
};

/**
 * A remark for each member that a JSON document has twice: only the last is read. Takes the scan of the whole text, twice as
 * long as to parse it, only when the text seems to have more names than the `names` that the parsed document has.
 */
export const findRepeatedMembers = (text: string, names: number): readonly DocumentIssue[] => {
  if (countNames(text) <= names) return [];
  const remarks: DocumentIssue[] = [];
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name, _offset, _length, _line, _character, pathSupplier) {
      const known = open.at(-1);
      if (known?.has(name)) {
        const path = [...pathSupplier(), name].filter((part) => typeof part === 'string');
        remarks.push({ path: path.join('.'), message: 'is there more than once in a document; only the last is read' });
      }
      known?.add(name);
    },
  });
  return remarks;
};
