import { expect } from 'chai';
import { isCall } from '../../src/domain/usage.ts';
import type { UsageEvent } from '../../src/usage/counter.ts';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

const { current, variant } = keys;

describe('counted uses of parameters', () => {
  const events: UsageEvent[] = [];
  const gateway = useGateway(() =>
    createTestGateway({ usage: { count: (event) => void events.push(event) } }),
  );

  /** The uses that a request counts, which happens after it was answered. */
  const usesOf = async (form: 'current' | 'variant', path: string): Promise<readonly string[]> => {
    const before = events.length;
    await gateway.send(`/api/v1${path}`, keys[form].full.text);
    await until('the request is counted', () => events.length > before);
    return events.at(-1)?.uses ?? [];
  };

  const calls: readonly (readonly ['current' | 'variant', path: string, call: string])[] = [
    ['variant', '/artists', '?'],
    ['variant', '/artists?limit=0150&new=14', '?new=14&limit=150'],
    ['variant', '/artists?fields=basic&id=66a18b86&signed=TRUE', '?id=*&signed=true&fields=basic'],
    ['variant', '/artists?tier=watch&tier=gold&tier=x', '?tier=watch&tier=*'],
    ['variant', '/artists?limit=&new=10000&token=s3cr3t&u=v', '?new=>9999&limit=&*'],
    ['variant', '/artists?limit=-5&new=1e3&signed=maybe', '?new=*&signed=*&limit=*'],
    ['variant', '/spikes?days=45', '?days=45'],
    ['variant', '/health?x', '?*'],
    [
      'current',
      '/artists?name=Salt&added_since=2026-01-01&limit=500',
      '?name=*&added_since=*&limit=500',
    ],
    ['current', '/artists/art_7rf1ly', '?'],
  ];

  for (const [form, path, call] of calls) {
    it(`keep ${path} of the ${form} form as the call ${call}`, async () => {
      expect((await usesOf(form, path)).filter(isCall)).to.deep.equal([call]);
    });
  }

  const used: readonly (readonly ['current' | 'variant', path: string, uses: readonly string[]])[] =
    [
      ['variant', '/artists?new=7', ['new']],
      [
        'variant',
        '/artists?fields=basic&signed=TRUE&tier=watch',
        ['fields=basic', 'signed=true', 'tier=watch'],
      ],
      ['variant', '/artists?tier=WATCH', ['tier', 'tier none']],
      ['variant', '/artists?limit=101', ['limit>100']],
      ['variant', '/artists?limit=201', ['limit>100', 'limit adjusted']],
      ['variant', '/artists?limit=much', ['limit', 'limit adjusted']],
      [
        'variant',
        '/artists?signed=maybe&tier=gold&fields=all',
        ['signed', 'signed none', 'tier', 'tier none', 'fields', 'fields adjusted'],
      ],
      ['variant', '/artists?limit=5&limit=101', ['limit', 'limit adjusted']],
      ['variant', '/artists?cursor=x&include=history&a=1', ['unknown']],
      ['variant', '/spikes?days=31', ['days>30', 'days adjusted']],
      ['current', '/artists?include=history&limit=5', ['include=history', 'limit']],
      ['current', '/artists?include=future', ['include']],
      ['current', '/artists?new=7&fields=basic', ['unknown']],
      ['current', '/artists?limit=1&limit=2', ['limit']],
      ['current', '/added?days=91', ['days>90']],
      ['current', '/artists/art_7rf1ly?x', ['unknown']],
      ['current', '/artists?%zz=1&__proto__=2&limit', ['unknown', 'limit']],
      [
        'variant',
        '/artists?tier=legend&signed=true&new=week&id=',
        ['tier', 'tier none', 'signed=true', 'new', 'new none', 'id', 'id none'],
      ],
      ['variant', `/artists?limit=5&${'x'.repeat(2049)}`, ['query none']],
      ['variant', '/added?days=3', []],
    ];

  for (const [form, path, uses] of used) {
    it(`are ${uses.join(', ')} for ${path.slice(0, 60)} of the ${form} form`, async () => {
      const named = (await usesOf(form, path)).filter((use) => !isCall(use));
      expect(named).to.have.members(uses);
    });
  }

  it('are counted for known keys, even revoked, but not for the reference', async () => {
    events.length = 0;
    for (const key of [undefined, 'aik_bad', unissuedKey])
      await gateway.send('/api/v1/artists?tier=watch', key);
    for (const page of ['/docs', '/openapi.json']) await gateway.send(page, current.full.text);
    for (const { text } of [variant.revoked, variant.expired, variant.suspended, variant.noArtists])
      await gateway.send('/api/v1/artists?fields=basic', text);
    await until('the last request is counted', () => events.length >= 4);
    expect(events.map(({ uses }) => uses)).to.deep.equal(
      Array(4).fill(['fields=basic', '?fields=basic']),
    );
  });
});
