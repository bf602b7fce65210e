import type { ExampleCall } from '../../../tools/migration/example-calls.ts';

/**
 * Reads the requests in a letter's table of calls, by column: today, unchanged after the move, and
 * what to send instead.
 */
export const readLetterCalls = (letter: string) => {
  const rows = letter.split('\n').filter((line) => line.startsWith('| `GET '));
  const column = (index: number): ExampleCall[] =>
    rows.flatMap((row) => {
      const [, path, status] = /`GET (\S+)` → (\d+)/.exec(row.split(' | ')[index] ?? '') ?? [];
      return path === undefined ? [] : [{ path, status: Number(status) }];
    });
  return { today: column(0), unchanged: column(1), instead: column(2) };
};
