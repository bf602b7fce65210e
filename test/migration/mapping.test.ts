import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { z } from 'zod';
import * as current from '../../adapters/forms/current/wire.ts';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import * as variant from '../../adapters/forms/variant/wire.ts';
import {
  artistMetrics,
  freshnessParts,
  linkNames,
  songMetrics,
  statusFlags,
} from '../../src/domain/model.ts';
import { casesFolder } from '../../src/runtime/folders.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
import { type ComparedForm, comparedForms } from '../../tools/migration/mapping/forms.ts';
import { type MemberTable, mapping } from '../../tools/migration/mapping/mapping.ts';
import type { MemberRow } from '../../tools/migration/mapping/rows.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';

type Schema = z.core.$ZodType;

/** Maps whose keys have a row each. */
const spelledOut: Readonly<Record<string, readonly string[]>> = { 'songs[].metrics': songMetrics };

/** A schema without optional, nullable and default wrappers. */
const unwrapped = (schema: Schema): Schema =>
  schema instanceof z.ZodOptional ||
  schema instanceof z.ZodNullable ||
  schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap())
    : schema;

/** The schemas one level inside a schema, with their paths as the mapping writes them. */
const inside = (
  schema: Schema,
  path: string,
): readonly (readonly [path: string, inner: Schema])[] => {
  if (schema instanceof z.ZodArray) return [[`${path}[]`, unwrapped(schema.element)]];
  // A map is a record, or an object that declares its known keys and takes others.
  const other = schema instanceof z.ZodObject ? schema.def.catchall : undefined;
  const value =
    schema instanceof z.ZodRecord
      ? schema.valueType
      : other instanceof z.ZodNever
        ? undefined
        : other;
  if (value !== undefined)
    return (spelledOut[path] ?? ['*']).map((key) => [`${path}.${key}`, unwrapped(value)]);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).map(([name, member]) => [
    path === '' ? name : `${path}.${name}`,
    unwrapped(member),
  ]);
};

/**
 * The paths of every leaf of a wire schema, as the mapping writes them.
 *
 * @param items schemas with a table of their own; they count as leaves
 */
const wireLeaves = (
  schema: Schema,
  path = '',
  items: ReadonlySet<Schema> = new Set(),
): readonly string[] => {
  const inner = inside(unwrapped(schema), path);
  if (inner.length === 0 || items.has(unwrapped(schema))) return [path];
  return inner.flatMap(([at, one]) => wireLeaves(one, at, items));
};

/** A schema and every schema inside it. */
const schemasIn = (schema: Schema): readonly Schema[] => [
  unwrapped(schema),
  ...inside(unwrapped(schema), '').flatMap(([, one]) => schemasIn(one)),
];

const tables = ['artist', 'spike', 'signing', 'envelope', 'health', 'error'] as const;
const modules = { current, variant };

/** The schemas that a table of a form covers. */
const schemasOf = (form: ComparedForm, table: MemberTable): readonly z.ZodType[] => {
  const { [form]: wire } = modules;
  if (table !== 'envelope') return [wire[`${table}Wire`]];
  const lists = [wire.artistListWire, wire.spikeListWire, wire.signingListWire];
  return form === 'current' ? [...lists, current.artistDetailWire] : lists;
};

const leavesOf = (form: ComparedForm, table: MemberTable): readonly string[] => {
  const items = table === 'envelope' ? (['artist', 'spike', 'signing'] as const) : [];
  const itemSchemas = new Set<Schema>(items.flatMap((item) => schemasOf(form, item)));
  const leaves = schemasOf(form, table).flatMap((schema) => wireLeaves(schema, '', itemSchemas));
  return [...new Set(leaves)];
};

const declared = (rows: readonly MemberRow[], form: ComparedForm): readonly string[] =>
  rows.map((row) => row[form]).filter((path) => path !== undefined);

const below = ({ path }: { readonly path: string }): string =>
  path.replace('/api/v1', '').replace(/:(\w+)/g, '{$1}');

const formNamed = (name: ComparedForm): Form => {
  const form = forms.find((one) => one.name === name);
  if (form === undefined) throw new Error(`There is no ${name} form.`);
  return form;
};

describe('mapping', () => {
  for (const name of comparedForms) {
    const form = formNamed(name);
    const files = `tools/migration/mapping and adapters/forms/${name}`;

    it(`has every leaf of the ${name} form in exactly one row of its table`, () => {
      for (const table of tables)
        expect(declared(mapping.members[table], name), `${files}: ${table}`).to.have.members(
          leavesOf(name, table),
        );
      const all = tables.flatMap((table) => schemasOf(name, table));
      const reached = new Set(all.flatMap(schemasIn));
      const left = Object.entries(modules[name]).filter(
        ([, one]) => one instanceof z.ZodType && !reached.has(one),
      );
      expect(left.map(([schema]) => schema)).to.deep.equal([]);
    });

    it(`has every path, parameter and quota of the ${name} form`, () => {
      const paths = mapping.paths.flatMap((row) => row[name] ?? []);
      expect(paths, files).to.have.members(form.routes.map(below));
      const parameters = mapping.parameters.flatMap((row) => row[name] ?? []);
      const known = form.routes.flatMap((route) =>
        Object.keys(route.contract.query?.shape ?? {}).map((one) => `${below(route)} ${one}`),
      );
      expect(
        parameters.map((row) => `${row.path} ${row.name}`),
        files,
      ).to.have.members(known);
      const quotas = mapping.quotas
        .filter((row) => row.form === name)
        .map(({ window, requests, per, header }) => ({ window, requests, per, header }));
      expect(quotas, files).to.deep.equal(quotasOf(form));
    });

    it(`has the status and code of every problem of the ${name} form`, () => {
      for (const { problem, [name]: error } of mapping.problems) {
        const { status, code } = form.problems[problem];
        if (error !== undefined)
          expect(error, `${files}: ${problem}`).to.deep.equal({ status, code });
      }
      const problems = mapping.problems.map(({ problem }) => problem);
      expect(problems, files).to.have.members(Object.keys(form.problems));
    });
  }

  it('has the quotas that the README states', () => {
    const [perMinute, perDay, perHour] = mapping.quotas.map(({ requests }) =>
      requests.toLocaleString('en'),
    );
    const row = `| quota | ${perMinute} requests a minute and ${perDay} a UTC day per organization | ${perHour} an hour per key |`;
    expect(readFileSync('README.md', 'utf8'), 'README.md').to.include(row);
  });

  it('lists the keys of every map', () => {
    const keysOf = (path: string) =>
      mapping.members.artist.find((row) => row.current === path)?.keys;
    expect(keysOf('metrics.*')).to.deep.equal(artistMetrics);
    expect(keysOf('links.*')).to.deep.equal(linkNames);
    expect(keysOf('status.*')).to.deep.equal(statusFlags);
    expect(keysOf('freshness.*')).to.deep.equal(freshnessParts);
    expect(keysOf('history.*[].date')).to.deep.equal(artistMetrics);
    expect(keysOf('songs[].history.*[].date')).to.deep.equal(songMetrics);
  });

  it('has a reason for every row, and a kind that fits its forms', () => {
    const { members, behaviours: _behaviours, ...others } = mapping;
    const rows = Object.values(members).flat();
    for (const { kind, current: ours, variant: theirs } of rows) {
      if (kind === 'same') expect(ours).to.equal(theirs);
      if (kind === 'renamed' || kind === 'moved') expect(ours).to.not.equal(theirs);
    }
    for (const { reason } of [...rows, ...Object.values(others).flat()])
      expect(reason).to.match(/^.+\.$/);
  });

  it('names the table of items of each path', () => {
    const named = mapping.paths.map(({ current, items }) => `${current} ${items}`);
    expect(named.join(', ')).to.equal(
      '/health undefined, /artists artist, /artists/{id} artist, /added artist, /spikes spike, /signings signing',
    );
  });

  it('names the only path of a member that the envelopes of one path have', () => {
    const lists = {
      '/artists': variant.artistListWire,
      '/spikes': variant.spikeListWire,
      '/signings': variant.signingListWire,
    };
    const items = new Set([variant.artistWire, variant.spikeWire, variant.signingWire]);
    for (const [path, schema] of Object.entries(lists)) {
      const rows = mapping.members.envelope.filter(
        ({ onlyPath }) => onlyPath === undefined || onlyPath === path,
      );
      expect(declared(rows, 'variant'), path).to.have.members([...wireLeaves(schema, '', items)]);
    }
  });

  it('names existing cases for every behaviour', async () => {
    const names = (await readCases(casesFolder)).map(({ name }) => name);
    for (const { cases } of mapping.behaviours) expect(names).to.include.members([...cases]);
  });
});

/** The allowances of a key and an organization without limits of their own. */
const quotasOf = (form: Form) => {
  const organization = buildOrganization({ perMinute: undefined, perDay: undefined });
  const key = buildKey({ form: form.name, perHour: undefined }).record;
  return form
    .allowances({ key, organization, scopes: new Set() })
    .map(({ window, limit, subject, header }) => ({
      window,
      requests: limit,
      per: subject.split(':')[0],
      header,
    }));
};
