import { routes as currentContract } from '../../../adapters/forms/current/contract.ts';
import * as currentParams from '../../../adapters/forms/current/params.ts';
import * as current from '../../../adapters/forms/current/present.ts';
import { list, streamedList } from '../../../adapters/forms/envelope.ts';
import { type Form, type ParseParameters, type Route, route } from '../../../adapters/forms/form.ts';
import { routes as variantContract } from '../../../adapters/forms/variant/contract.ts';
import * as variantParams from '../../../adapters/forms/variant/params.ts';
import * as variant from '../../../adapters/forms/variant/present.ts';
import type { ArtistsAnswer, Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { AddedQuestion, ArtistsQuestion, SpikesQuestion, Viewer } from '../../../src/catalogue/questions.ts';
import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import type { Artist, History, Signing, Spike } from '../../../src/domain/model.ts';

/** A gateway with one fault: a route declared differently, or a catalogue that answers differently. */
export interface Fault {
  readonly group: 'presenter' | 'parameters' | 'order' | 'disclosure' | 'protocol';
  readonly name: string;
  readonly forms?: (form: Form) => Form;
  readonly catalogue?: (catalogue: Catalogue) => Catalogue;
  /** Whether it takes more artists than any limit to show the fault. */
  readonly large?: true;
}

/** A form with some of its routes replaced. */
export const redeclare =
  (name: ComparedForm, ...routes: readonly Route[]) =>
  (form: Form): Form =>
    form.name === name
      ? { ...form, routes: form.routes.map((old) => routes.find(({ path }) => path === old.path) ?? old) }
      : form;

type Change<Model, Wire> = (wire: Wire, model: Model) => object;

type VariantQuestion = variantParams.VariantArtistsQuestion;
type ReadVariant = ParseParameters<VariantQuestion>;
type ReadCurrent = ParseParameters<ArtistsQuestion>;
type AskArtists = (catalogue: Catalogue, question: ArtistsQuestion, viewer: Viewer) => ArtistsAnswer;

const path = '/api/v1/artists';
const access = 'artists:read';
const askArtists: AskArtists = (catalogue, question, viewer) => catalogue.artists(question, viewer);

/** The variant form with changes to how it reads, asks for or presents artists. */
export const variantArtists = (given: {
  readonly params?: ReadVariant;
  readonly ask?: AskArtists;
  readonly full?: Change<Artist, ReturnType<typeof variant.presentArtist>>;
  readonly basic?: Change<Artist, ReturnType<typeof variant.presentArtist>>;
  readonly around?: (envelope: Record<string, unknown>) => Record<string, unknown>;
}) => {
  const { full = (wire) => wire, basic = (wire) => wire, ask = askArtists, around = (envelope) => envelope } = given;
  const presentFull = (artist: Artist) => full(variant.presentArtist(artist), artist);
  const presentBasic = (artist: Artist) => basic(variant.presentBasicArtist(artist), artist);
  return redeclare(
    'variant',
    route({
      path,
      contract: variantContract.artists,
      access,
      params: given.params ?? variantParams.parseArtists,
      ask: (catalogue, question, viewer) => ({ ...ask(catalogue, question, viewer), fields: question.fields }),
      present: (answer, frame) =>
        around({
          ...variant.presentArtists(answer, frame),
          data: list(answer.artists, answer.fields === 'basic' ? presentBasic : presentFull),
        }),
    }),
  );
};

/** The current form with changes to how it reads, asks for or presents lists of artists. */
export const currentArtists = (given: {
  readonly params?: ReadCurrent;
  readonly ask?: AskArtists;
  readonly show?: Change<Artist, ReturnType<typeof current.presentArtist>>;
  readonly showHistory?: Change<Artist, ReturnType<typeof current.presentArtist>>;
  readonly around?: (envelope: Record<string, unknown>) => Record<string, unknown>;
}) => {
  const { show = (wire) => wire, showHistory = (wire) => wire, around = (envelope) => envelope } = given;
  const present = (artist: Artist) => show(current.presentArtist(artist), artist);
  const presentWithHistory = (artist: Artist, history: History) =>
    showHistory(current.presentArtistWithHistory(artist, history), artist);
  return redeclare(
    'current',
    route({
      path,
      contract: currentContract.artists,
      access,
      params: given.params ?? currentParams.parseArtists,
      ask: given.ask ?? askArtists,
      present: (answer, frame) =>
        around({
          ...current.presentArtists(answer, frame),
          data: answer.withHistory
            ? streamedList(
                answer.withHistory.map(({ artist, readHistory }) => ({ item: artist, load: readHistory })),
                presentWithHistory,
              )
            : list(answer.artists, present),
        }),
    }),
  );
};

export const currentAdded = (params: ParseParameters<AddedQuestion>) =>
  redeclare(
    'current',
    route({
      path: '/api/v1/added',
      contract: currentContract.added,
      access,
      params,
      ask: (catalogue, question, viewer) => catalogue.added(question, viewer),
      present: current.presentArtists,
    }),
  );

export const currentSpikes = (show: Change<Spike, ReturnType<typeof current.presentSpike>>) => {
  const present = (spike: Spike) => show(current.presentSpike(spike), spike);
  return redeclare(
    'current',
    route({
      path: '/api/v1/spikes',
      contract: currentContract.spikes,
      access: 'spikes:read',
      params: currentParams.parseSpikes,
      ask: (catalogue, question, viewer) => catalogue.spikes(question, viewer),
      present: (answer, frame) => ({ ...current.presentSpikes(answer, frame), data: list(answer.spikes, present) }),
    }),
  );
};

export const variantSpikes = (given: {
  readonly params?: ParseParameters<SpikesQuestion>;
  readonly show?: Change<Spike, ReturnType<typeof variant.presentSpike>>;
}) => {
  const { params = variantParams.parseSpikes, show = (wire) => wire } = given;
  const present = (spike: Spike) => show(variant.presentSpike(spike), spike);
  return redeclare(
    'variant',
    route({
      path: '/api/v1/spikes',
      contract: variantContract.spikes,
      access: 'spikes:read',
      params,
      ask: (catalogue, question, viewer) => catalogue.spikes(question, viewer),
      present: (answer, frame) => ({ ...variant.presentSpikes(answer, frame), data: list(answer.spikes, present) }),
    }),
  );
};

/** A form with changes to how it presents signings. */
export const signings = {
  current: (show: Change<Signing, ReturnType<typeof current.presentSigning>>) => {
    const present = (signing: Signing) => show(current.presentSigning(signing), signing);
    return redeclare(
      'current',
      route({
        path: '/api/v1/signings',
        contract: currentContract.signings,
        access: 'signings:read',
        params: currentParams.parseSignings,
        ask: (catalogue, _question, viewer) => catalogue.signings(viewer),
        present: (answer, frame) => ({
          ...current.presentSignings(answer, frame),
          data: list(answer.signings, present),
        }),
      }),
    );
  },
  variant: (
    show: Change<Signing, ReturnType<typeof variant.presentSigning>>,
    around: (envelope: Record<string, unknown>) => Record<string, unknown> = (envelope) => envelope,
  ) => {
    const present = (signing: Signing) => show(variant.presentSigning(signing), signing);
    return redeclare(
      'variant',
      route({
        path: '/api/v1/signings',
        contract: variantContract.signings,
        access: 'signings:read',
        params: variantParams.parseSignings,
        ask: (catalogue, _question, viewer) => catalogue.signings(viewer),
        present: (answer, frame) =>
          around({ ...variant.presentSignings(answer, frame), data: list(answer.signings, present) }),
      }),
    );
  },
};
