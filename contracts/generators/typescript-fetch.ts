// Asks a gateway through the clients of openapi-generator (typescript-fetch): FORM URL
// The driver puts it beside the clients that it imports.
import * as current from './current/index';
import * as variant from './variant/index';

const [form, basePath = ''] = process.argv.slice(2);

const told = async (name: string, read: () => Promise<unknown>) => {
  try {
    console.log(`${name}: ${await read()}`);
  } catch (failure) {
    const { response } = Object(failure);
    const { error } = response === undefined ? { error: failure } : await response.json();
    console.log(`${name}: ${response?.status ?? ''} ${error.code ?? error}`);
  }
};

const settings = (key: string) => ({ basePath, accessToken: process.env[key] ?? '' });
const ofCurrent = (key: string) => new current.Configuration(settings(key));
const ofVariant = (key: string) => new variant.Configuration(settings(key));

if (form === 'current') {
  const artists = new current.ArtistsApi(ofCurrent('FULL'));
  const signals = new current.SignalsApi(ofCurrent('FULL'));
  const spent = new current.SignalsApi(ofCurrent('LAST'));
  await told(
    'health',
    async () => (await new current.ServiceApi(ofCurrent('FULL')).getHealth()).status,
  );
  await told('artists', async () =>
    (await artists.listArtists({ limit: 100 })).data.map(({ id }) => id).join(),
  );
  await told('history', async () => {
    const { data } = await artists.listArtists({ limit: 100, include: 'history' });
    return data.flatMap(({ history = {} }) => Object.values(history).flat()).length;
  });
  await told('artist', async () => {
    const { data } = await artists.getArtist({ id: process.env['ARTIST'] ?? '' });
    return `${data.history?.['monthly_listeners']?.length} ${data.metrics.spotifyStreams}`;
  });
  await told('added', async () => (await artists.listAddedArtists({ days: 90 })).data.length);
  await told('400', () => artists.listArtists({ cursor: 'x' }));
  await told('404', () => artists.getArtist({ id: 'nobody' }));
  await told('spikes', async () =>
    (await signals.listSpikes({ days: 7 })).data.map(({ metric }) => metric).join(),
  );
  await told('signings', async () =>
    (await signals.listSignings()).data.map(({ artistName }) => artistName).join(),
  );
  await told('401', () => new current.ArtistsApi(ofCurrent('UNKNOWN')).listArtists());
  await told('revoked', () => new current.ArtistsApi(ofCurrent('REVOKED')).listArtists());
  await told('429', async () => [
    await spent.listSignings(),
    await spent.listSignings(),
    await spent.listSignings(),
  ]);
} else {
  const artists = new variant.ArtistsApi(ofVariant('FULL'));
  const signals = new variant.SignalsApi(ofVariant('FULL'));
  const spent = new variant.SignalsApi(ofVariant('LAST'));
  await told(
    'health',
    async () => (await new variant.ServiceApi(ofVariant('FULL')).getHealth()).status,
  );
  await told('artists', async () =>
    (await artists.listArtists({ limit: 100 })).data.map(({ id }) => id).join(),
  );
  await told(
    'basic',
    async () => (await artists.listArtists({ fields: 'basic', signed: true })).count,
  );
  await told('404', () => artists.listArtists({ id: 'nobody' }));
  await told('spikes', async () =>
    (await signals.listSpikes({ days: 7 })).data.map(({ metric }) => metric).join(),
  );
  await told('signings', async () =>
    (await signals.listSignings()).data.map(({ artistName }) => artistName).join(),
  );
  await told('401', () => new variant.ArtistsApi(ofVariant('UNKNOWN')).listArtists());
  await told('revoked', () => new variant.ArtistsApi(ofVariant('REVOKED')).listArtists());
  await told('429', async () => [
    await spent.listSignings(),
    await spent.listSignings(),
    await spent.listSignings(),
  ]);
}
