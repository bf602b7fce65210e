import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { docsFolder } from '../../src/runtime/config.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { fullKeys, useGateway } from '../support/gateway.ts';

/** The rows of the table that follows a head, cell by cell. */
const rowsBelow = (form: string, head: string): readonly (readonly string[])[] => {
  const [, table = ''] = readFileSync(join(docsFolder, 'site', `${form}.md`), 'utf8').split(`${head}\n`);
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split(' | '));
};

const pathIn = (cell: string): string => `/api/v1${/`([^`]+)`/.exec(cell)?.[1]}`;

describe('what the chapters say about parameters', () => {
  const gateway = useGateway();

  for (const [sent = '', outcome = ''] of rowsBelow('current', 'You send | You get')) {
    it(`holds in the current form for ${sent}`, async () => {
      const { status, text } = await gateway.send(pathIn(sent), fullKeys.current.text);
      const [, expected, message] = /^`(\d+)`:? ?(.*)$/.exec(outcome) ?? [];
      expect(status).to.equal(Number(expected));
      if (status === 400) expect(formExpectations.current.readError(text).message).to.equal(message);
      else expect(JSON.parse(text).data.length > 0).to.equal(!outcome.includes('no artists'));
    });
  }

  for (const [sent = '', outcome = '', header = ''] of rowsBelow(
    'variant',
    'You send | You get | `X-Params-Adjusted`',
  )) {
    it(`holds in the variant form for ${sent}`, async () => {
      const { status, headers, text } = await gateway.send(pathIn(sent), fullKeys.variant.text);
      expect([status, headers['x-params-adjusted']]).to.deep.equal([200, /`(.+)`/.exec(header)?.[1]]);
      const { count } = JSON.parse(text);
      if (outcome.startsWith('nothing')) expect(count).to.equal(0);
      else if (outcome === 'one artist') expect(count).to.equal(1);
      else expect(count).to.be.greaterThan(0);
    });
  }
});
