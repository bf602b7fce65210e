import { ApiError, type Reply, type Service, SettingError } from '../shared/http.ts';
import type { Remote, RemoteReply } from './remote-catalogue.ts';

export const cannotChoose = 'ARTIST_API_KEY may not choose its form: ask us to let it';

/** The service as a remote catalogue calls it. Throws for a key that only reads the variant form. */
export const remoteOf = (service: Service): Remote => {
  const read = (reply: Reply): RemoteReply => {
    if (reply.headers.get('X-Envelope-Served') === 'variant' && reply.status === 200)
      throw new SettingError(`${cannotChoose}, or use a key of the current form.`);
    const { code, message, retryAfter } = service.errorOf(reply);
    const tag = reply.headers.get('ETag') ?? undefined;
    return { status: reply.status, code, message, retryAfter, tag, body: reply.body };
  };
  return {
    async ask(path, retries) {
      try {
        return read(await (retries ? service.ask(path) : service.send(path)));
      } catch (failure) {
        if (!(failure instanceof ApiError)) throw failure;
        const { status, code, message, retryAfter } = failure;
        return { status, code, message, retryAfter, body: undefined };
      }
    },
    sleep: (seconds) => service.sleep(seconds),
    quota: () => service.quota,
  };
};
