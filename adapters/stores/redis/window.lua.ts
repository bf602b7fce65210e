/** The script's error code when a command is late or its deadline does not fit Redis' clock. */
export const lateError = 'QUOTALATE';

/** The longest time to a deadline, in milliseconds. The script refuses twice as much: its sender misjudges Redis' clock. */
export const maxWaitMs = 10_000;

/**
 * Counts units of one subject in clock-aligned windows of Redis' clock. All limiters use this script.
 * KEYS[1]: the count. ARGV, in the library's order:
 *   1 points: 1 consumes, -1 refunds, 0 reads;
 *   2 epoch milliseconds of Redis' clock: the deadline of a consume or read, the end of the window of a refund;
 *   3 limit; 4 length of the window in seconds.
 * Returns {units counted, milliseconds to the window's end}; limit + 1 units mean a refusal, which counts nothing.
 */
export const windowScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points, moment, limit, length = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] * 1000
local left = length - now % length

if points < 0 then
  if moment ~= now + left then return {0, left} end
elseif now >= moment or moment - now > ${2 * maxWaitMs} then
  return redis.error_reply('${lateError} the deadline is not ahead by the clock of Redis')
end

local stored = redis.call('GET', KEYS[1])
if stored and not string.match(stored, '^%d+$') then
  return redis.error_reply('QUOTACORRUPT the value is not a count')
end
local used = tonumber(stored or '0')

-- A key may outlive its window: Redis expires it after that millisecond, by a clock it reads once per script, and clocks are
-- set. A key that does not expire when this window ends belongs to another window. A key without an expiry (set by hand)
-- counts as this window's, and gets its end.
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
