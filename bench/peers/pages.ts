import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Answers of the gateway, by the file name that the bench gave them. */
export const readAnswers = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

export interface Page {
  readonly data: readonly unknown[];
  readonly meta: { readonly count: number; readonly next_cursor: string | null };
}

/** The shortlist as the peers hold it: documents in memory, in order, and the cursor behind each page. */
export interface Shortlist {
  readonly documents: readonly unknown[];
  readonly cursors: readonly (string | null)[];
}

/** Puts the pages `0.json`, `1.json` … back together. */
export const readShortlist = (folder: string): Shortlist => {
  const answers = readAnswers(folder);
  const pages = Array.from({ length: answers.size }, (_, index): Page => {
    const page: Page = JSON.parse(String(answers.get(`${index}.json`)));
    return page;
  });
  return { documents: pages.flatMap(({ data }) => data), cursors: pages.map(({ meta }) => meta.next_cursor) };
};

export const pageSize = 50;
