import * as current from '../../../adapters/forms/current/wire.ts';
import * as variant from '../../../adapters/forms/variant/wire.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import type { ComparedForm } from '../../../tools/migration/mapping/forms.ts';

/** The specification's tables about a form, written independently of `adapters/forms`. */
interface FormExpectations {
  /** Every path, as a template. */
  readonly routes: readonly string[];
  readonly successes: readonly SuccessfulRequest[];
  readonly statuses: readonly number[];
  readonly errors: Readonly<Record<ErrorName, { readonly status: number; readonly code: string }>>;
  /**
   * Reads the code and the message of an error body; throws when the body does not match the form's
   * error schema.
   */
  readonly readError: (text: string) => { readonly code: string; readonly message: string };
}

/** A GET that succeeds over the fixtures with a key that has every scope. */
interface SuccessfulRequest {
  readonly path: string;
  readonly scope: Scope;
}

const successesOf = (scope: Scope, ...paths: readonly string[]): SuccessfulRequest[] =>
  paths.map((path) => ({ path: `/api/v1${path}`, scope }));

const shared = {
  unauthorized: { status: 401, code: 'unauthorized' },
  notFound: { status: 404, code: 'not_found' },
  method: { status: 405, code: 'method_not_allowed' },
  windowSpent: { status: 429, code: 'rate_limited' },
  daySpent: { status: 429, code: 'quota_exceeded' },
  bug: { status: 500, code: 'server_error' },
};

export type ErrorName = keyof typeof shared | 'scope' | 'unavailable';

export const formExpectations: Readonly<Record<ComparedForm, FormExpectations>> = {
  current: {
    routes: [
      '/api/v1/health',
      '/api/v1/artists',
      '/api/v1/artists/:id',
      '/api/v1/added',
      '/api/v1/spikes',
      '/api/v1/signings',
    ],
    successes: [
      ...successesOf('artists:read', '/artists', '/artists?limit=5', '/artists?include=history'),
      ...successesOf(
        'artists:read',
        '/artists/art_7rf1ly',
        '/artists/art_3wz4gc',
        '/added',
        '/added?days=90&limit=3',
      ),
      ...successesOf('spikes:read', '/spikes', '/spikes?days=30'),
      ...successesOf('signings:read', '/signings'),
    ],
    statuses: [200, 304, 400, 401, 403, 404, 405, 429, 500, 503],
    errors: {
      ...shared,
      scope: { status: 403, code: 'insufficient_scope' },
      unavailable: { status: 503, code: 'service_unavailable' },
    },
    readError: (text) => current.errorWire.parse(JSON.parse(text)).error,
  },
  variant: {
    routes: ['/api/v1/health', '/api/v1/artists', '/api/v1/spikes', '/api/v1/signings'],
    successes: [
      ...successesOf('artists:read', '/artists', '/artists?limit=5', '/artists?fields=basic'),
      ...successesOf('artists:read', '/artists?id=legacy%3A0007', '/artists?new=30&signed=false'),
      ...successesOf('spikes:read', '/spikes', '/spikes?days=30'),
      ...successesOf('signings:read', '/signings'),
    ],
    statuses: [200, 401, 404, 405, 429, 500],
    errors: {
      ...shared,
      scope: { status: 401, code: 'unauthorized' },
      unavailable: { status: 500, code: 'server_error' },
    },
    readError: (text) => {
      const { error, message } = variant.errorWire.parse(JSON.parse(text));
      return { code: error, message };
    },
  },
};
