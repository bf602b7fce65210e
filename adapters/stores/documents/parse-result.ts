/** The first invalid member of a document, and why it is invalid. */
export interface DocumentIssue {
  /** The field's path, such as `songs.0.metrics`; `document` if the whole document is invalid. */
  readonly path: string;
  readonly message: string;
}

/**
 * The result of parsing a stored document: a model with the issues of omitted fields, or an issue.
 */
export type Parsed<Model> =
  | { readonly model: Model; readonly leftOut?: readonly DocumentIssue[] }
  | { readonly issue: DocumentIssue };

/** Formats the path of a field: `songs.0.metrics`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map(String).join('.') || 'document';

/** Maps a parsed model; issues do not change. */
export const mapParsed = <From, To>(parsed: Parsed<From>, map: (model: From) => To): Parsed<To> =>
  'model' in parsed ? { ...parsed, model: map(parsed.model) } : parsed;

/** An issue on one line, for logs and messages: `songs.0.name: Invalid input`. */
export const formatIssue = ({ path, message }: DocumentIssue): string => `${path}: ${message}`;
