import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../../src/catalogue/questions.ts';
import { type Scope, scopes } from '../../../src/domain/caller.ts';
import { faultsOf, variantArtists, variantSpikes } from './faulty.ts';

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
const lacking = (scope: Scope) => askedAs((own) => new Set([...own].filter((one) => one !== scope)));

const swapped = (scope: Scope): Scope => {
  if (scope === 'editorial:read') return 'signing-notes:read';
  return scope === 'signing-notes:read' ? 'editorial:read' : scope;
};

/** Members shown without their scope, or hidden despite it. */
export const disclosureFaults = faultsOf('disclosure', {
  'editorial is shown to everybody': { catalogue: having('editorial:read') },
  'notes are shown to everybody': { catalogue: having('signing-notes:read') },
  'editorial is never shown': { catalogue: lacking('editorial:read') },
  'notes are never shown': { catalogue: lacking('signing-notes:read') },
  'the two scopes are taken for each other': { catalogue: askedAs((own) => new Set([...own].map(swapped))) },
  'the variant form shows the report to everybody': {
    forms: variantArtists({ catalogue: askedAs(() => new Set(scopes)) }),
  },
  'the signings alone show notes to everybody': {
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (viewer) => catalogue.signings({ ...viewer, scopes: new Set(scopes) }),
    }),
  },
  'spikes are read with the scope for artists': { forms: variantSpikes({ access: 'artists:read' }) },
});
