/** The script's error code when a command is late or its deadline does not fit Redis' clock. */
export const lateError = 'QUOTALATE';

/** The longest time to a deadline, in milliseconds. The script refuses twice as much: its sender misjudges Redis' clock. */
export const maxWaitMs = 10_000;

/**
 * Counts units of one subject in clock-aligned windows of Redis' clock: in all of its windows or in none.
 * KEYS: the count of each window. ARGV:
 *   1 points: 1 consumes, -1 refunds, 0 reads;
 *   2 epoch milliseconds of Redis' clock: the deadline of a consume or read, the end of the window of a refund;
 *   then, for each key, its limit and the length of its window in seconds.
 * Returns the number of windows without room, and for each key the units counted and the milliseconds to the window's end. A
 * consume that finds a window without room counts nothing.
 */
export const windowScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points, moment = tonumber(ARGV[1]), tonumber(ARGV[2])
if points >= 0 and (now >= moment or moment - now > ${2 * maxWaitMs}) then
  return redis.error_reply('${lateError} the deadline is not ahead by the clock of Redis')
end

local full, windows, reply = 0, {}, {}
for index, key in ipairs(KEYS) do
  local limit, length = tonumber(ARGV[2 * index + 1]), ARGV[2 * index + 2] * 1000
  local left = length - now % length
  local stored = redis.call('GET', key)
  if stored and not string.match(stored, '^%d+$') then
    return redis.error_reply('QUOTACORRUPT the value is not a count')
  end
  -- A key may outlive its window: Redis expires it after that millisecond, by a clock it reads once per script, and clocks
  -- are set. A key that does not expire when this window ends belongs to another window. A key without an expiry (set by
  -- hand) counts as this window's, and gets its end.
  local expires = stored and redis.call('PTTL', key)
  local current = stored and (expires == -1 or math.abs(left - expires) < length / 2)
  local used = current and tonumber(stored) or 0
  if used >= limit then full = full + 1 end
  windows[index] = {stored and not current, used, left, expires == -1 or not current}
  reply[2 * index], reply[2 * index + 1] = math.min(used, limit), left
end
reply[1] = full
if points == 0 or points > 0 and full > 0 then return reply end

for index, key in ipairs(KEYS) do
  local outlived, used, left, endless = unpack(windows[index])
  local change = math.max(points, -used)
  if change ~= 0 and (points > 0 or moment == now + left) then
    if outlived then redis.call('DEL', key) end
    reply[2 * index] = redis.call('INCRBY', key, change)
    if endless then redis.call('PEXPIREAT', key, now + left) end
  end
end
return reply
`;
