import type { DocumentIssue } from '../../adapters/stores/documents/parse-result.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { redactKeyTexts } from '../../src/keys/key-format.ts';
import type { DocumentPlace } from './input-files.ts';

export interface InputError extends DocumentIssue, Pick<DocumentPlace, 'line' | 'id' | 'name'> {
  readonly file: string;
}

/** A warning about a field in one or many documents. */
export interface InputWarning extends InputError {
  /**
   * Number of documents; the position is the first document's. 0, without a line, for a whole
   * collection or file.
   */
  readonly documents: number;
}

/** Errors after which the rest of the input is not read; also the maximum kinds of warnings. */
const maxKept = 10_000;

/** Maximum characters kept of a text of the input. */
const maxShown = 1_000;

/**
 * The beginning of a text of the input, without keys. It is a copy, because a slice would keep the
 * whole text.
 */
const shown = (text: string): string =>
  redactKeyTexts(
    text.length <= maxShown ? text : Buffer.from(`${text.slice(0, maxShown)}…`).toString(),
  );

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * A document's id and name for display, if it has them. For a series: the ids of its artist and
 * song, and its metric.
 */
export const labelOf = (value: StoredDocument | undefined): Pick<DocumentPlace, 'id' | 'name'> => {
  const { id, artist_id: artistId, song_id: songId, name, metric } = value ?? {};
  return {
    id: [textOrEmpty(id) || textOrEmpty(artistId), textOrEmpty(songId)]
      .filter((part) => part !== '')
      .join(' '),
    name: textOrEmpty(name) || textOrEmpty(metric),
  };
};

const errorAt = (
  { file, line, id, name }: DocumentPlace,
  { path, message }: DocumentIssue,
): InputError => ({
  file: file.path,
  line,
  id: shown(id),
  name: shown(name),
  path: shown(path),
  message: shown(message),
});

export const createErrors = () => {
  const errors: InputError[] = [];
  const warnings = new Map<string, InputWarning>();
  let [total, documents] = [0, 0];
  let last: DocumentPlace | undefined;
  const isFull = (): boolean => total >= maxKept;
  return {
    add(place: DocumentPlace, issue: DocumentIssue): void {
      total += 1;
      if (place !== last) documents += 1;
      last = place;
      errors.push(errorAt(place, issue));
    },
    warning(place: DocumentPlace, issue: DocumentIssue): void {
      const key = shown(`${issue.path} ${issue.message}`);
      if (warnings.size >= maxKept && !warnings.has(key)) return;
      const first = warnings.get(key) ?? { ...errorAt(place, issue), documents: 0 };
      warnings.set(key, { ...first, documents: first.documents + 1 });
    },
    warningWhole(file: string, message: string): void {
      const place = { file, line: 0, id: '', name: '', path: 'document', documents: 0 };
      warnings.set(`${file} ${message}`, { ...place, message });
    },
    isFull,
    /** The errors and their number of documents, `true` if there may be more, and the warnings. */
    result: () => ({ errors, total, documents, isCut: isFull(), warnings: [...warnings.values()] }),
  };
};

export type FoundErrors = ReturnType<ReturnType<typeof createErrors>['result']>;
