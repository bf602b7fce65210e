import { redactKeyTexts } from '../../src/keys/key-format.ts';
import type { DocumentError } from '../stores/documents/document-file.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { DocumentPlace } from './input-files.ts';

/** A mistake in the input, where it stands, and the document's own id and name as far as it has them. */
export interface InputMistake extends DocumentError {
  readonly id: string;
  readonly name: string;
}

/** A remark about a member in one or many documents. */
export interface InputRemark extends InputMistake {
  /** Documents that it is about; the position is that of the first. */
  readonly documents: number;
}

/** Mistakes that are kept, and kinds of remarks. */
const maxKept = 10_000;

/** Mistakes after which the rest of the input is not read. */
const maxCounted = 100_000;

/** Characters that are kept of a text of the input. */
const maxShown = 1_000;

/** What is shown of a text of the input: its beginning, as a copy, because a part of a text keeps the whole in memory; never a key. */
const shown = (text: string): string =>
  redactKeyTexts(text.length <= maxShown ? text : Buffer.from(`${text.slice(0, maxShown)}…`).toString());

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A document's id and name, for people: of a series those of its artist and song, and its metric. */
const labelOf = (value: StoredDocument | undefined): Pick<InputMistake, 'id' | 'name'> => {
  const { id, artist_id: artistId, song_id: songId, name, metric } = value ?? {};
  return {
    id: shown([textOf(id) || textOf(artistId), textOf(songId)].filter((part) => part !== '').join(' ')),
    name: shown(textOf(name) || textOf(metric)),
  };
};

/** Collects mistakes and remarks. */
export const createMistakes = () => {
  const kept: InputMistake[] = [];
  const remarks = new Map<string, InputRemark>();
  let [total, documents, last] = [0, 0, ''];
  const at = (
    { file, line, column }: DocumentPlace,
    value: StoredDocument | undefined,
    { path, message }: DocumentIssue,
  ): InputMistake => ({
    file: file.path,
    line,
    column,
    ...labelOf(value),
    path: shown(path),
    message: shown(message),
  });
  const isFull = (): boolean => total >= maxCounted;
  return {
    add(place: DocumentPlace, value: StoredDocument | undefined, issue: DocumentIssue): void {
      total += 1;
      const document = `${place.file.path} ${place.line} ${place.column}`;
      if (document !== last) documents += 1;
      last = document;
      if (kept.length < maxKept) kept.push(at(place, value, issue));
    },
    remark(place: DocumentPlace, value: StoredDocument | undefined, issue: DocumentIssue): void {
      const key = shown(`${issue.path} ${issue.message}`);
      if (remarks.size >= maxKept && !remarks.has(key)) return;
      const first = remarks.get(key) ?? { ...at(place, value, issue), documents: 0 };
      remarks.set(key, { ...first, documents: first.documents + 1 });
    },
    /** Whether the maximum of mistakes is reached, so that reading may stop. */
    isFull,
    /** The mistakes that were kept; how many there are, and in how many documents; whether there may be more; and the remarks. */
    result: () => ({ mistakes: kept, total, documents, isCut: isFull(), remarks: [...remarks.values()] }),
  };
};

export type Mistakes = ReturnType<typeof createMistakes>;
export type FoundMistakes = ReturnType<Mistakes['result']>;
