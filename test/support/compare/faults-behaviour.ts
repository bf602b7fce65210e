import type { Form, KeyRoute } from '../../../adapters/forms/form.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../../src/catalogue/queries.ts';
import { type Scope, scopes } from '../../../src/domain/caller.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import type { Spike } from '../../../src/domain/signals.ts';
import {
  backwards,
  currentArtists,
  faultsOf,
  listing,
  ofForm,
  showHistory,
  variantArtists,
  variantSpikes,
} from './faulty.ts';

/** A catalogue with its spikes in another order. */
const spikesBy =
  (compare: (left: Spike, right: Spike) => number) =>
  (catalogue: Catalogue): Catalogue => ({
    ...catalogue,
    async spikes(question, viewer) {
      const answer = await catalogue.spikes(question, viewer);
      const spikes = answer.spikes.slice(0, answer.spikes.length).toSorted(compare);
      return { ...answer, spikes: Object.assign(spikes, { identity: '' }) };
    },
  });

/** Lists in a wrong order, in one form or in both. */
const orderFaults = faultsOf('order', {
  'the variant form lists artists by name': variantArtists({
    catalogue: listing((artists) =>
      artists.toSorted((left, right) => byCodePoint(left.name, right.name)),
    ),
  }),
  'of one day, both forms list the greater id first': {
    catalogue: listing((artists) =>
      artists.toSorted((left, right) =>
        left.dateAdded === right.dateAdded
          ? byCodePoint(right.id, left.id)
          : artists.indexOf(left) - artists.indexOf(right),
      ),
    ),
  },
  'of spikes that grew alike, both forms list the lesser metric first': {
    catalogue: spikesBy(
      (left, right) =>
        right.percentChange - left.percentChange ||
        right.delta - left.delta ||
        byCodePoint(left.metric, right.metric) ||
        byCodePoint(left.artistId, right.artistId),
    ),
  },
  'both forms list signings by capitals first': {
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (viewer) => {
        const answer = catalogue.signings(viewer);
        const inOrder = answer.signings.toSorted((left, right) =>
          byCodePoint(left.artistName, right.artistName),
        );
        return { ...answer, signings: inOrder };
      },
    }),
  },
  'points of a history are in reverse order': currentArtists(showHistory('history.*', backwards)),
});

/** A catalogue that answers a viewer as one with other scopes. */
const askedAs = (change: (scopes: ReadonlySet<Scope>) => ReadonlySet<Scope>) => {
  const as = (viewer: Viewer): Viewer => ({ ...viewer, scopes: change(viewer.scopes) });
  return (catalogue: Catalogue): Catalogue => ({
    ...catalogue,
    artists: (question, viewer) => catalogue.artists(question, as(viewer)),
    artist: (question, viewer) => catalogue.artist(question, as(viewer)),
    added: (question, viewer) => catalogue.added(question, as(viewer)),
    signings: (viewer) => catalogue.signings(as(viewer)),
  });
};

const having = (scope: Scope) => askedAs((own) => new Set([...own, scope]));

/** Members shown without their scope, or hidden despite it. */
const disclosureFaults = faultsOf('disclosure', {
  'editorial is shown to everybody': { catalogue: having('editorial:read') },
  'notes are shown to everybody': { catalogue: having('signing-notes:read') },
  'the variant form shows the report to everybody': variantArtists({
    catalogue: askedAs(() => new Set(scopes)),
  }),
  'the signings alone show notes to everybody': {
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (viewer) => catalogue.signings({ ...viewer, scopes: new Set(scopes) }),
    }),
  },
  'spikes are read with the scope for artists': variantSpikes({ access: 'artists:read' }),
});

const atPath = (form: Form, from: string, path: string): KeyRoute[] =>
  form.routes.flatMap((one) =>
    one.path === from && one.access !== 'public' ? [{ ...one, path }] : [],
  );

/** Faults in problems, headers, quotas and paths. */
const protocolFaults = faultsOf('protocol', {
  'Vary of a 304 does not name Accept-Encoding': {
    headers: (headers, status) =>
      status === 304
        ? { ...headers, Vary: headers['Vary']?.replace(', Accept-Encoding', '') }
        : headers,
    row: 'header.Vary',
  },
  'the variant form sends an ETag': ofForm('variant', () => ({ conditional: true })),
  'the variant form does not announce a sunset': ofForm('variant', () => ({ notices: () => ({}) })),
  'the hour of the variant form has 1000 requests': ofForm('variant', ({ allowances }) => ({
    allowances: (caller) =>
      allowances(caller).map((one) => ({ ...one, limit: caller.key.perHour ?? 1000 })),
  })),
  'the current form counts no day': ofForm('current', ({ allowances }) => ({
    allowances: (caller) => allowances(caller).slice(0, 1),
  })),
  'the variant form has /added': ofForm('variant', (form) => ({
    routes: [...form.routes, ...atPath(form, '/api/v1/artists', '/api/v1/added')],
  })),
  'the variant form wraps its errors': ofForm('variant', () => ({
    presentProblem: (code, message) => ({ error: { code, message } }),
  })),
});

/** Faults in orders, in who sees what, and in problems, headers, quotas and paths. */
export const behaviourFaults = [...orderFaults, ...disclosureFaults, ...protocolFaults];
