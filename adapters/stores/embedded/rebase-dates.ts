import { addDays, type Day, daysBetween } from '../../../src/domain/day.ts';
import { mapTexts } from '../documents/document-file.ts';

const dayOrInstant = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}.*)?$/;

/** The newest day in a document, alone or in a time; empty if there is none. */
export const newestDay = (document: unknown): Day => {
  let newest = '';
  mapTexts(document, (text) => {
    const day = dayOrInstant.exec(text)?.[1] ?? '';
    if (day > newest) newest = day;
    return text;
  });
  return newest;
};

/** Moves every day and time in a document by the days between `from` and `to`. */
export const rebaseDays = (document: unknown, from: Day, to: Day): unknown => {
  const days = daysBetween(from, to);
  return mapTexts(document, (text) => {
    const [, day, time = ''] = dayOrInstant.exec(text) ?? [];
    return day === undefined ? text : addDays(day, days) + time;
  });
};
