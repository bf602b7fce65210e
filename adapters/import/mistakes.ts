import type { DocumentError, FilePosition } from '../stores/documents/document-file.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';

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

/** Everything that was found in an input. */
export interface FoundMistakes {
  /** At most 10,000. */
  readonly mistakes: readonly InputMistake[];
  /** How many there are, and in how many documents. */
  readonly total: number;
  readonly documents: number;
  readonly remarks: readonly InputRemark[];
}

/** Mistakes that are kept; all are counted. */
const maxKept = 10_000;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A document's id and name, for people: of a series those of its artist and song, and its metric. */
const labelOf = (value: StoredDocument | undefined): Pick<InputMistake, 'id' | 'name'> => {
  const { id, artist_id: artistId, song_id: songId, name, metric } = value ?? {};
  return {
    id: [textOf(id) || textOf(artistId), textOf(songId)].filter((part) => part !== '').join(' '),
    name: textOf(name) || textOf(metric),
  };
};

/** Collects mistakes and remarks. */
export const createMistakes = () => {
  const kept: InputMistake[] = [];
  const remarks = new Map<string, InputRemark>();
  let total = 0;
  let documents = 0;
  let last = '';
  const at = (position: FilePosition, value: StoredDocument | undefined, issue: DocumentIssue): InputMistake => {
    const { file, line, column } = position;
    return { file, line, column, ...labelOf(value), path: issue.path, message: issue.message };
  };
  return {
    add(position: FilePosition, value: StoredDocument | undefined, issue: DocumentIssue): void {
      total += 1;
      const place = `${position.file} ${position.line} ${position.column}`;
      if (place !== last) documents += 1;
      last = place;
      if (kept.length < maxKept) kept.push(at(position, value, issue));
    },
    remark(position: FilePosition, value: StoredDocument | undefined, issue: DocumentIssue): void {
      const key = `${issue.path} ${issue.message}`;
      const first = remarks.get(key) ?? { ...at(position, value, issue), documents: 0 };
      remarks.set(key, { ...first, documents: first.documents + 1 });
    },
    result: (): FoundMistakes => ({ mistakes: kept, total, documents, remarks: [...remarks.values()] }),
  };
};

export type Mistakes = ReturnType<typeof createMistakes>;
