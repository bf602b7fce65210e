/** The script's error code when a command is late or its deadline does not fit Redis' clock. */
export const lateError = 'QUOTALATE';

/**
 * Maximum time to a deadline, in milliseconds. The script rejects twice as much: its sender has a
 * wrong offset to Redis' clock.
 */
export const maxWaitMs = 10_000;

/**
 * Counts units of one subject in clock-aligned windows of Redis' clock: in all of its windows or in
 * none. KEYS: the subject's hash, whose fields are windows, each with the end of the window that
 * was counted in (epoch milliseconds) and the count. ARGV:
 *   1 units: 1 consumes, -1 refunds, 0 reads;
 *   2 epoch milliseconds of Redis' clock: the deadline of a consume or read, the end of the window of a refund;
 *   then, for each window, its name, its limit and its length in seconds.
 * Returns the number of windows without room, Redis' time, and for each window the units counted
 * and its end. A consume that finds a window without room counts nothing.
 */
export const windowScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local units, moment = tonumber(ARGV[1]), tonumber(ARGV[2])
if units >= 0 and (now >= moment or moment - now > ${2 * maxWaitMs}) then
  return redis.error_reply('${lateError} the deadline is not ahead by the clock of Redis')
end

local reply, windows, last = {0, now}, {}, 0
for index = 3, #ARGV, 3 do
  local limit, length = tonumber(ARGV[index + 1]), ARGV[index + 2] * 1000
  local ends = now - now % length + length
  local stored = redis.call('HGET', KEYS[1], ARGV[index])
  local counted, count = string.match(stored or '0 0', '^(%d+) (%d+)$')
  -- Lua and the reply hold 15 digits exactly.
  if not counted or #counted > 15 or #count > 15 then
    return redis.error_reply('QUOTACORRUPT the value is not a count')
  end
  -- The count of any other window is over, also when Redis' clock was set back.
  local used = tonumber(counted) == ends and tonumber(count) or 0
  if used >= limit then reply[1] = reply[1] + 1 end
  windows[#windows + 1] = {ARGV[index], used, ends}
  last = math.max(last, ends)
  reply[#reply + 1], reply[#reply + 2] = used, ends
end
if units == 0 or units > 0 and reply[1] > 0 then return reply end

for index, window in ipairs(windows) do
  local name, used, ends = unpack(window)
  local change = math.max(units, -used)
  if change ~= 0 and (units > 0 or moment == ends) then
    redis.call('HSET', KEYS[1], name, string.format('%d %d', ends, used + change))
    reply[2 * index + 1] = used + change
  end
end
if redis.call('PTTL', KEYS[1]) < last - now then redis.call('PEXPIREAT', KEYS[1], last) end
return reply
`;
