import { visit } from 'jsonc-parser';
import type { DocumentIssue } from '../../adapters/stores/documents/parse-result.ts';

/**
 * Matches a number that a double may not represent: doubles represent any number of 15 digits. A
 * text in the document may look like one.
 */
const longNumber = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Maximum characters of a number (decisions, "Imports"). */
const maxNumber = 1_000;

/** A number's significant digits and power of ten: equal for `1.50`, `15e-1` and `0.15E+1`. */
const digitsOf = (number: string): string => {
  const [, whole = '', fraction = '', power = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const shortest = digits.replace(/0+$/, '');
  return shortest === ''
    ? '0'
    : `${shortest}e${Number(power) - fraction.length + digits.length - shortest.length}`;
};

const isInexact = (written: string): boolean =>
  digitsOf(written) !== digitsOf(String(Number(written)));

const shorten = (number: string): string =>
  number.length > 40 ? `${number.slice(0, 40)}…` : number;

/** Maximum numbers reported for a document, which may have a million. */
const maxReported = 1_000;

/**
 * Finds numbers that a program would change if it read and wrote them. Scans the text, which takes
 * twice as long as parsing, only if it has a long number.
 */
export const findInexact = (text: string): readonly DocumentIssue[] => {
  const inexact: DocumentIssue[] = [];
  if (!longNumber.test(text)) return inexact;
  visit(text, {
    onLiteralValue(value, offset, length, _line, _character, pathSupplier) {
      const written = text.slice(offset, offset + Math.min(length, maxNumber));
      if (typeof value !== 'number' || inexact.length > maxReported) return;
      const problem =
        length > maxNumber
          ? `has ${length} characters`
          : isInexact(written) && `${shorten(written)} would become ${value}`;
      if (problem === false) return;
      const message = `${problem}; expected a number of at most 15 digits, or a text in a member of your own`;
      inexact.push({ path: pathSupplier().join('.'), message });
    },
  });
  return inexact;
};
