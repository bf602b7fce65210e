import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { parseDocument } from './check-document.ts';
import type { DocumentPlace } from './check-input.ts';
import { type InputFile, withInputFile } from './input-files.ts';

/** Reads documents that were checked before, in the order of their places. Rejects when a file changed since. */
export const readPlaces = async (places: readonly DocumentPlace[]): Promise<StoredDocument[]> => {
  const documents = new Map<DocumentPlace, StoredDocument>();
  for (const file of new Set<InputFile>(places.map((place) => place.file))) {
    await withInputFile(file, async (handle) => {
      for (const place of places) {
        if (place.file !== file) continue;
        const { buffer } = await handle.read(Buffer.allocUnsafe(place.length), 0, place.length, place.offset);
        documents.set(place, parseDocument(buffer));
      }
    });
  }
  return places.map((place) => documents.get(place)).filter((document) => document !== undefined);
};
