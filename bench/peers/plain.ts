import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { announce } from './announce.ts';
import { readAnswers } from './pages.ts';

/** What is hardly to be beaten: no framework, one INCR, and bytes that were made long ago. */
const [, , redisUrl = '', folder = ''] = process.argv;
const answers = new Map([...readAnswers(folder)].map(([name, bytes]) => [`/${name}`, bytes]));
const redis = new Redis(redisUrl);

const server = createServer(async (request, response) => {
  await redis.incr('plain');
  const body = answers.get(request.url ?? '');
  if (body === undefined) response.writeHead(404).end();
  else {
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
    response.end(body);
  }
});

server.listen(0, '127.0.0.1', () => announce(server));
