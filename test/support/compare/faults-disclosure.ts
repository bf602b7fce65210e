import { route } from '../../../adapters/forms/form.ts';
import { routes as variantContract } from '../../../adapters/forms/variant/contract.ts';
import * as variantParams from '../../../adapters/forms/variant/params.ts';
import * as variant from '../../../adapters/forms/variant/present.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../../src/catalogue/questions.ts';
import { type Scope, scopes } from '../../../src/domain/caller.ts';
import { type Fault, redeclare, variantArtists } from './faulty.ts';

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

const having = (scope: Scope) => (own: ReadonlySet<Scope>) => new Set([...own, scope]);
const lacking = (scope: Scope) => (own: ReadonlySet<Scope>) => new Set([...own].filter((one) => one !== scope));

const swapped = (own: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set(
    [...own].map((scope) => {
      if (scope === 'editorial:read') return 'signing-notes:read';
      return scope === 'signing-notes:read' ? 'editorial:read' : scope;
    }),
  );

/** Members shown without their scope, or hidden despite it. */
export const disclosureFaults: readonly Fault[] = [
  { group: 'disclosure', name: 'editorial is shown to everybody', catalogue: askedAs(having('editorial:read')) },
  { group: 'disclosure', name: 'notes are shown to everybody', catalogue: askedAs(having('signing-notes:read')) },
  { group: 'disclosure', name: 'editorial is never shown', catalogue: askedAs(lacking('editorial:read')) },
  { group: 'disclosure', name: 'notes are never shown', catalogue: askedAs(lacking('signing-notes:read')) },
  { group: 'disclosure', name: 'the two scopes are taken for each other', catalogue: askedAs(swapped) },
  {
    group: 'disclosure',
    name: 'the variant form shows the report to everybody',
    forms: variantArtists({
      ask: (catalogue, question, viewer) => catalogue.artists(question, { ...viewer, scopes: new Set(scopes) }),
    }),
  },
  {
    group: 'disclosure',
    name: 'the signings alone show notes to everybody',
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (viewer) => catalogue.signings({ ...viewer, scopes: new Set(scopes) }),
    }),
  },
  {
    group: 'disclosure',
    name: 'spikes are read with the scope for artists',
    forms: redeclare(
      'variant',
      route({
        path: '/api/v1/spikes',
        access: 'artists:read',
        contract: variantContract.spikes,
        params: variantParams.parseSpikes,
        ask: (catalogue, question, viewer) => catalogue.spikes(question, viewer),
        present: variant.presentSpikes,
      }),
    ),
  },
];
