import { expect } from 'chai';
import fc from 'fast-check';
import { parseDocumentFile } from '../../adapters/stores/documents/document-file.ts';
import { createFileReader } from '../../adapters/stores/embedded/files.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';

const parse = (text: string, file: string) => parseDocumentFile(Buffer.from(text), file);
const linesIn = (text: string): number[] =>
  parse(text, 'artists.json').documents.map(({ position }) => position.line);

describe('positions in a file of documents', () => {
  it('are the lines on which the elements of an indented array begin, for elements of any type', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        (values, indent) => {
          const text = JSON.stringify(values, null, indent);
          let line = 2; // after the opening bracket
          const expected = values.map((value) => {
            const begins = line;
            line += JSON.stringify(value, null, indent).split('\n').length;
            return begins;
          });
          expect(linesIn(text)).to.deep.equal(expected);
        },
      ),
    );
  });

  it('are those of the elements that JSON.parse finds, and what it refuses is an error, however a text is cut or mixed', () => {
    const texts = fc.tuple(
      fc.array(fc.jsonValue(), { maxLength: 4 }).map((values) => JSON.stringify(values, null, 1)),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom(
        '',
        '',
        ',',
        '[',
        ']',
        '{',
        '}',
        '"',
        '\\',
        ' ',
        '\n',
        '1',
        '\u00a0',
        '\ufeff',
      ),
    );
    const anyText = texts.map(([text, at, cut, more]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + more + text.slice(start + cut);
    });
    fc.assert(
      fc.property(anyText, (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text.replace(/^\ufeff/, ''));
        } catch {}
        const { documents, errors } = parse(text, 'artists.json');
        expect(errors.length === 0, text).to.equal(Array.isArray(expected));
        if (errors.length === 0)
          expect(documents.map(({ value }) => value)).to.deep.equal(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [what, text, positions] of [
    [
      'several elements on one line',
      '[{"a": "]\\"\\n"}, [1,\n2], 3,\n\n 4 ]\n',
      ['1 2', '1 18', '2 5', '4 2'],
    ],
    ['elements of elements', '[{"a": [{}]}, {}, []]', ['1 2', '1 15', '1 19']],
    ['elements on lines that are indented', '[\n {},\n\n   [], 1]', ['2 2', '4 4', '4 8']],
    ['an empty array', ' [ ] ', []],
  ] as const)
    it(`are line and column in bytes: ${what}`, () => {
      const { documents } = parse(text, 'artists.json');
      expect(documents.map(({ position }) => `${position.line} ${position.column}`)).to.deep.equal(
        positions,
      );
    });

  it('are the lines of an .ndjson file; a line that is not JSON is an error and the others remain', () => {
    const { documents, errors } = parse('\ufeff{"a": 1}\r\n\n{"a":\n[2]', 'history.ndjson');
    expect(documents.map(({ value, position }) => [value, position.line])).to.deep.equal([
      [{ a: 1 }, 1],
      [[2], 4],
    ]);
    expect(errors.map(({ line, path }) => [line, path])).to.deep.equal([[3, 'document']]);
    expect(errors[0]?.message).to.match(/^is not JSON: /);
  });

  it('has no documents and one error when a .json file holds no array', () => {
    expect(parse('{}', 'labels.json')).to.deep.equal({
      documents: [],
      errors: [
        {
          file: 'labels.json',
          line: 1,
          column: 1,
          path: 'document',
          message:
            'is no JSON array of documents: end its name in .ndjson if it holds a document a line',
        },
      ],
    });
  });
});

describe('a file of an embedded store', () => {
  const folder = useInputFolder();

  it('is rejected with file, line and reason when it is not JSON', async () => {
    const file = await folder.writeText('artists.ndjson', '{}\n{"id":\n');
    const error = await createFileReader(folder.path, 'artists')().catch(
      ({ message }: Error) => message,
    );
    expect(error).to.match(/ line 2 column 1: document: is not JSON: /);
    expect(error).to.satisfy((message: string) => message.startsWith(file));
  });

  it('is rejected without a part of the key that is in it', async () => {
    for (const text of [
      '{"demo_key":Zq7Zq7Zq7Zq7""}',
      'Zq7Zq7Zq7Zq7',
      '{"demo_key":\n"Zq7Zq7" Zq7}',
      '{"a":\nZq7Zq7}',
    ]) {
      await folder.writeText('api_keys.json', `[${text}]`);
      const error = await createFileReader(folder.path, 'api_keys')().catch(
        ({ message }: Error) => message,
      );
      expect(error).to.match(
        / line 1 column 2: document: is not JSON: (Unexpected token 'Z'|Expected )/,
      );
      expect(error).not.to.match(/Zq7|q7Z|7Zq/);
    }
  });
});
