import { route } from '../../../adapters/forms/form.ts';
import { routes as variantContract } from '../../../adapters/forms/variant/contract.ts';
import * as variantParams from '../../../adapters/forms/variant/params.ts';
import * as variant from '../../../adapters/forms/variant/present.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../../src/catalogue/questions.ts';
import { type Scope, scopes } from '../../../src/domain/caller.ts';
import { type Fault, redeclare, variantArtists } from './faulty.ts';

/** A catalogue that takes a viewer for one with other scopes. */
const askedAs = (change: (scopes: ReadonlySet<Scope>) => ReadonlySet<Scope>) => {
  const as = (asker: Viewer): Viewer => ({ ...asker, scopes: change(asker.scopes) });
  return (catalogue: Catalogue): Catalogue => ({
    ...catalogue,
    artists: (question, asker) => catalogue.artists(question, as(asker)),
    artist: (question, asker) => catalogue.artist(question, as(asker)),
    added: (question, asker) => catalogue.added(question, as(asker)),
    signings: (asker) => catalogue.signings(as(asker)),
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

/** Members shown without their scope, or hidden in spite of it. */
export const disclosureFaults: readonly Fault[] = [
  { group: 'disclosure', name: 'editorial is shown to everybody', catalogue: askedAs(having('editorial:read')) },
  { group: 'disclosure', name: 'notes are shown to everybody', catalogue: askedAs(having('signing-notes:read')) },
  { group: 'disclosure', name: 'editorial is shown to nobody', catalogue: askedAs(lacking('editorial:read')) },
  { group: 'disclosure', name: 'notes are shown to nobody', catalogue: askedAs(lacking('signing-notes:read')) },
  { group: 'disclosure', name: 'the two scopes are taken for each other', catalogue: askedAs(swapped) },
  {
    group: 'disclosure',
    name: 'the variant form shows the report to everybody',
    forms: variantArtists({
      ask: (catalogue, question, asker) => catalogue.artists(question, { ...asker, scopes: new Set(scopes) }),
    }),
  },
  {
    group: 'disclosure',
    name: 'the signings alone show notes to everybody',
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (asker) => catalogue.signings({ ...asker, scopes: new Set(scopes) }),
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
        params: variantParams.readSpikes,
        ask: (catalogue, question, asker) => catalogue.spikes(question, asker),
        present: variant.presentSpikes,
      }),
    ),
  },
];
