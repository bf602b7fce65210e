import { letterHtml, writeLetter } from '../../adapters/cli/letter/letter.ts';
import { requestedMove as move } from '../../src/migration/evidence.ts';
import { buildKey } from '../../test/support/builders.ts';

const longPath = '/artists?new=7&limit=200&fields=basic&signed=true';

/** A letter with every table, and with texts as long as real ones. */
export const sampleLetter = (): string =>
  letterHtml(
    writeLetter({
      key: buildKey({ id: 'k3Jx81LmQ', form: 'variant', partner: 'Acme Radio', sunset: '2027-03-01' }).record,
      report: {
        key: 'k3Jx81LmQ',
        partner: 'Acme Radio',
        form: 'variant',
        state: 'active',
        requests: 1624,
        first_day: '2026-10-24',
        last_at: '2026-11-23T06:00:00.000Z',
        tried: { requests: 0, refused: 0 },
        compared: { answers: 0, differed: 0, since: undefined },
        paths: [],
        parameters: [
          {
            parameter: '/artists?new=',
            instead: '/added?days=',
            requests: 900,
            last_day: '2026-11-23',
            remark: 'Added on or after today minus N days, UTC. For more than 90 days ask with added_since.',
          },
        ],
        behaviours: [
          {
            behaviour: 'A parameter out of range',
            seen_by: ['days adjusted'],
            requests: 30,
            last_day: '2026-11-23',
            variant: 'counts as the nearest one that is allowed',
            current: '400 invalid_parameter',
          },
        ],
        members: [
          {
            member: '_meta.authenticated_as',
            of: 'around the items',
            to_do: 'do without',
            instead: undefined,
            remark: 'The partner’s name; the current form does not repeat it.',
          },
        ],
        errors: [{ status: 404, requests: 30, last_day: '2026-11-23', instead: ['404 not_found'] }],
        changes: 4,
        remarks: [],
      },
      quota: {
        quotas: [{ window: 'minute', limit: 10, subject: 'organization:acme' }],
        since: '2026-10-24T00:00:00.000Z',
        until: '2026-11-23T00:00:00.000Z',
        keys: ['k3Jx81LmQ'],
        asked: 478,
        refused_then: 21,
        would_refuse: 50,
        refusals: [
          {
            window: 'minute',
            limit: 10,
            requests: 50,
            windows: 8,
            days: 8,
            first_at: undefined,
            last_at: undefined,
            enough: 17,
            enough_at: undefined,
            worst: [{ starts_at: '2026-11-01T02:00:00.000Z', asked: 17, refused: 7 }],
          },
        ],
      },
      calls: [
        {
          before: { path: longPath, status: 200 },
          unchanged: { path: longPath, status: 400 },
          after: { path: '/added?days=7&limit=100', status: 200 },
          remark:
            'Added on or after today minus N days, UTC. fields=basic leaves songs and scouting report out; the current form always has the songs.',
        },
      ],
      move,
      baseUrl: 'https://api.example.org',
      supportContact: 'api@partners.test',
    }),
    'For Acme Radio',
  );
