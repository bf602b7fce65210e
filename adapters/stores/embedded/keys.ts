import { z } from 'zod';
import {
  type DemoFault,
  demoFaults,
  type FormName,
  type KeyRecord,
} from '../../../src/domain/caller.ts';
import { keyHash } from '../../../src/keys/key-format.ts';
import type { KeyRecords, KeySource } from '../../../src/ports.ts';
import { type FileDocument, formatPosition } from '../documents/document-file.ts';
import { createKeyParser } from '../documents/key-documents.ts';
import { createKeyReader, keyRecordsOf } from '../documents/key-reader.ts';
import { createFileReader, type FileDocuments, namedDocuments } from './files.ts';

/**
 * A key of the demo catalogue. Its text is in the file, so that the startup banner can print it.
 */
interface DemoKey {
  readonly text: string;
  readonly key: KeyRecord;
}

const isUsable = ({ key }: DemoKey): boolean =>
  key.revokedAt === undefined && key.expiresAt === undefined;

const describeForm = (form: FormName, keys: readonly DemoKey[], baseUrl: string): string[] => {
  const first = keys.find((one) => one.key.form === form && isUsable(one));
  if (first === undefined) return [];
  return [
    `The ${form} form:`,
    `  curl -i -H 'Authorization: Bearer ${first.text}' '${baseUrl}/api/v1/artists?limit=2'`,
  ];
};

/**
 * Formats the startup banner of the demo catalogue: a `curl` command per form, and the path of the
 * other demo keys. Without a demo key there is no banner.
 */
export const describeDemoKeys = (keys: readonly DemoKey[], baseUrl: string): string => {
  const forms = [...new Set(keys.map(({ key }) => key.form))];
  const commands = forms.flatMap((form) => describeForm(form, keys, baseUrl));
  if (commands.length === 0) return '';
  const others = `A demo key for every other answer: ${baseUrl}/docs, "Try every answer"`;
  return [...commands, others].join('\n');
};

interface EmbeddedKeys extends KeySource {
  /**
   * The keys whose text is in the file, in file order. Rejects as `load` does, and if a text does
   * not match its hash.
   */
  demoKeys(): Promise<readonly DemoKey[]>;
  /**
   * Demo keys with a fault, by id; empty unless the source serves a sandbox. Rejects as `load`
   * does.
   */
  demoFaults(): Promise<ReadonlyMap<string, DemoFault>>;
}

const demoDocument = z.object({ demo_key: z.string(), demo_fault: z.enum(demoFaults).optional() });

const faultIn = ({ value }: FileDocument): DemoFault | undefined =>
  demoDocument.safeParse(value).data?.demo_fault;

const demoKeyIn = (
  { value, position }: FileDocument,
  parseKey: ReturnType<typeof createKeyParser>,
): DemoKey | undefined => {
  const demo = demoDocument.safeParse(value);
  const parsed = parseKey(value);
  if (!demo.success || 'issue' in parsed) return undefined;
  const text = demo.data.demo_key;
  if (keyHash(text) === parsed.model.hash) return { text, key: parsed.model };
  throw new Error(`${formatPosition(position)}: demo_key: does not have the hash that is stored`);
};

interface EmbeddedKeysOptions {
  /** False for another catalogue than the example: demo keys are left out. */
  readonly isExample?: boolean;
  /** True if demo keys with a fault are valid; otherwise they are left out. */
  readonly sandbox: boolean;
}

/**
 * Creates a source of keys and organizations from the files `api_keys` and `organizations` of a
 * folder. `load` rejects if a file is missing or is not JSON; the message names the file and the
 * line.
 */
export const createEmbeddedKeys = (
  folder: string,
  formNames: readonly string[],
  { sandbox, isExample = true }: EmbeddedKeysOptions,
): EmbeddedKeys => {
  const readKeyFile = createFileReader(folder, 'api_keys');
  let filtered: FileDocuments | undefined;
  const readKeys = async (): Promise<FileDocuments> => {
    const file = await readKeyFile();
    if (sandbox) return file;
    if (filtered?.version !== file.version) {
      filtered = {
        ...file,
        documents: file.documents.filter((document) => faultIn(document) === undefined),
      };
    }
    return filtered;
  };
  const readOrganizations = createFileReader(folder, 'organizations');
  const parseKey = createKeyParser(formNames);
  const read = createKeyReader(formNames, { acceptsDemoKeys: isExample });
  let last: { readonly version: string; readonly records: KeyRecords } | undefined;

  return {
    async load() {
      const keys = await readKeys();
      const organizations = await readOrganizations();
      const version = `${keys.version}\n${organizations.version}`;
      if (last?.version === version) return last.records;
      const documents = await read(namedDocuments(keys), namedDocuments(organizations));
      const records = keyRecordsOf(documents, formNames);
      const faults = [keys, organizations, records].flatMap((each) => each.faults ?? []);
      last = { version, records: { ...records, faults } };
      return last.records;
    },

    async demoKeys() {
      const { documents } = await readKeys();
      return (isExample ? documents : [])
        .map((document) => demoKeyIn(document, parseKey))
        .filter((demo) => demo !== undefined);
    },

    async demoFaults() {
      const { documents } = await readKeys();
      return new Map(
        (isExample ? documents : []).flatMap((document) => {
          const [parsed, fault] = [parseKey(document.value), faultIn(document)];
          return 'issue' in parsed || fault === undefined
            ? []
            : [[parsed.model.id, fault] as const];
        }),
      );
    },
  };
};
