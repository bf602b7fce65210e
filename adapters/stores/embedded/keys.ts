import { z } from 'zod';
import { type DemoFault, demoFaults, type KeyRecord, type Organization } from '../../../src/domain/caller.ts';
import { keyHash } from '../../../src/keys/key-format.ts';
import type { KeyRecords, KeySource } from '../../../src/ports.ts';
import { type FileDocument, formatPosition } from '../documents/document-file.ts';
import { createKeyParser, parseOrganization } from '../documents/key-documents.ts';
import { formatIssue, type Parsed } from '../documents/parse-result.ts';
import { createFileReader, type FileDocuments } from './files.ts';

/** A key of the demo catalogue. Its text is in the file, so that the startup banner can print it. */
export interface DemoKey {
  readonly text: string;
  readonly key: KeyRecord;
}

export interface EmbeddedKeys extends KeySource {
  /** The keys whose text is in the file, in file order. Rejects as `load` does. */
  demoKeys(): Promise<readonly DemoKey[]>;
  /** Demo keys that show a fault, by id; empty unless the source serves a sandbox. Rejects as `load` does. */
  demoFaults(): Promise<ReadonlyMap<string, DemoFault>>;
}

const demoDocument = z.object({ demo_key: z.string(), demo_fault: z.enum(demoFaults).optional() });

const faultIn = ({ value }: FileDocument): DemoFault | undefined => demoDocument.safeParse(value).data?.demo_fault;

const errorIn = (document: FileDocument | undefined, reason: string): Error =>
  new Error(`${document === undefined ? 'document' : formatPosition(document.position())}: ${reason}`);

/** Keys grant access, so an invalid document is an error and never skipped. */
const parseStrictly = <Model>(document: FileDocument, parse: (document: unknown) => Parsed<Model>): Model => {
  const parsed = parse(document.value);
  if ('issue' in parsed) throw errorIn(document, formatIssue(parsed.issue));
  return parsed.model;
};

const demoKeyIn = (document: FileDocument, parseKey: ReturnType<typeof createKeyParser>): DemoKey | undefined => {
  const demo = demoDocument.safeParse(document.value);
  if (!demo.success) return undefined;
  const key = parseStrictly(document, parseKey);
  const text = demo.data.demo_key;
  if (keyHash(text) !== key.hash) throw errorIn(document, 'demo_key: does not have the hash that is stored');
  return { text, key };
};

const requireUnique = (models: readonly { readonly id: string }[], { documents }: FileDocuments): void => {
  const seen = new Set<string>();
  for (const [index, { id }] of models.entries()) {
    if (seen.has(id)) throw errorIn(documents[index], `_id: ${id} is already taken`);
    seen.add(id);
  }
};

const requireOrganizations = (
  keys: readonly KeyRecord[],
  organizations: readonly Organization[],
  { documents }: FileDocuments,
): void => {
  const known = new Set(organizations.map(({ id }) => id));
  for (const [index, { organizationId }] of keys.entries()) {
    if (!known.has(organizationId)) {
      throw errorIn(documents[index], `organization_id: there is no organization ${organizationId}`);
    }
  }
};

export interface EmbeddedKeysOptions {
  /** Whether demo keys that show a fault are valid; otherwise they are left out. */
  readonly sandbox: boolean;
}

/**
 * Creates a source of keys and organizations from the files `api_keys` and `organizations` of a folder. `load` rejects when a
 * file is missing or a document is invalid; the message names the file, the document and the member.
 */
export const createEmbeddedKeys = (
  folder: string,
  formNames: readonly string[],
  { sandbox }: EmbeddedKeysOptions,
): EmbeddedKeys => {
  const parseKey = createKeyParser(formNames);
  const readKeyFile = createFileReader(folder, 'api_keys');
  let filtered: FileDocuments | undefined;
  const readKeys = async (): Promise<FileDocuments> => {
    const file = await readKeyFile();
    if (sandbox) return file;
    if (filtered?.version !== file.version) {
      filtered = { ...file, documents: file.documents.filter((document) => faultIn(document) === undefined) };
    }
    return filtered;
  };
  const readOrganizations = createFileReader(folder, 'organizations');
  let last: { readonly version: string; readonly records: KeyRecords } | undefined;

  return {
    async load() {
      const keyFile = await readKeys();
      const organizationFile = await readOrganizations();
      const version = `${keyFile.version}\n${organizationFile.version}`;
      if (last?.version === version) return last.records;
      const organizations = organizationFile.documents.map((document) => parseStrictly(document, parseOrganization));
      const keys = keyFile.documents.map((document) => parseStrictly(document, parseKey));
      requireUnique(organizations, organizationFile);
      requireUnique(keys, keyFile);
      requireOrganizations(keys, organizations, keyFile);
      last = { version, records: { keys, organizations } };
      return last.records;
    },

    async demoKeys() {
      const { documents } = await readKeys();
      return documents.map((document) => demoKeyIn(document, parseKey)).filter((demo) => demo !== undefined);
    },

    async demoFaults() {
      const { documents } = await readKeys();
      const faults = documents.map((document) => [parseStrictly(document, parseKey).id, faultIn(document)] as const);
      return new Map(faults.flatMap(([id, fault]) => (fault === undefined ? [] : [[id, fault] as const])));
    },
  };
};
