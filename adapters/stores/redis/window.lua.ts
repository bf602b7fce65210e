/** What an error of the script says when the command came too late, or the clocks disagree. */
export const lateError = 'QUOTALATE';

/** No deadline is further away than this (milliseconds); one that seems to be was made with a wrong idea of Redis' clock. */
export const longestWaitMs = 10_000;

/**
 * Counts units of one subject in clock-aligned windows of Redis' own clock, as the one script of every limiter.
 * KEYS[1]: the count. ARGV, in the library's order:
 *   1 points: 1 spends, -1 gives back, 0 reads;
 *   2 the moment the command is good for, in epoch milliseconds of Redis' clock: the deadline when it spends or reads, the
 *     end of the window it means when it gives back;
 *   3 limit; 4 length of the window in seconds.
 * Answers {units counted, milliseconds to the window's end}; the limit + 1 is a refusal, which counts nothing.
 */
export const windowScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points, moment, limit, length = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] * 1000
local left = length - now % length

if points < 0 then
  if moment ~= now + left then return {0, left} end
elseif now >= moment or moment - now > ${2 * longestWaitMs} then
  return redis.error_reply('${lateError} the deadline is not ahead by the clock of Redis')
end

local stored = redis.call('GET', KEYS[1])
if stored and not string.match(stored, '^%d+$') then
  return redis.error_reply('QUOTACORRUPT the value is not a count')
end
local used = tonumber(stored or '0')

-- A key may outlive its window by a moment: Redis expires it after that millisecond, by a clock it reads once per script,
-- and clocks are set. What expires at another time than this window ends is not of this window. Without an expiry (as a
-- person may leave it) it is taken as of this window, and ends with it.
local expires = redis.call('PTTL', KEYS[1])
local current = stored and (expires == -1 or math.abs(left - expires) < length / 2)
if not current then used = 0 end

if points > 0 and used + points > limit then return {limit + 1, left} end
local change = math.max(points, -used)
if change == 0 then return {math.min(used, limit), left} end
if stored and not current then redis.call('DEL', KEYS[1]) end
used = redis.call('INCRBY', KEYS[1], change)
if not current or expires == -1 then redis.call('PEXPIREAT', KEYS[1], now + left) end
return {used, left}
`;
