/**
 * The atomic operations of the store, as Lua scripts.
 *
 * A table is five keys with one hash tag: the records, their expiry times, and for evictable records the
 * source of each, all of them by source and age, and the count of each source. Capacity and eviction are
 * those of `RecordTable`. A kind of rate bucket is one sorted set of the times at which each bucket is
 * full again (GCRA), and the rate of each; a full bucket is dropped. Times are those of the server; tests
 * pass their own.
 */
const TIME = `
local function time_ms(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end
local function text(number) return string.format('%.17g', number) end
local function expire_with(latest, now, keys)
  if not latest[2] then return end
  local ttl = math.ceil(tonumber(latest[2]) - now) + 1000
  for _, key in ipairs(keys) do redis.call('PEXPIRE', key, ttl) end
end
`;

/** ARGV[1] is the time, or empty; ARGV[2] the key of the record. */
const TABLE = `${TIME}
local records, ends, sources, order, counts = unpack(KEYS)
local now, key = time_ms(ARGV[1]), ARGV[2]
local function live()
  local at = redis.call('ZSCORE', ends, key)
  return at and tonumber(at) > now and redis.call('HGET', records, key)
end
local function remove(gone)
  redis.call('HDEL', records, gone)
  redis.call('ZREM', ends, gone)
  local held = redis.call('HGET', sources, gone)
  if not held then return end
  local age, source = string.sub(held, 1, 16), string.sub(held, 17)
  redis.call('HDEL', sources, gone)
  redis.call('ZREM', order, source .. '\\0' .. age .. gone)
  local left = redis.call('ZINCRBY', counts, -1, source)
  if tonumber(left) <= 0 then redis.call('ZREM', counts, source) end
end
`;

export const GET = `${TABLE}
return live()
`;

/** ARGV: the channel and the message of the deletion, and the expected record, if any. */
export const DELETE = `${TABLE}
local channel, message, current = ARGV[3], ARGV[4], ARGV[5]
if current and live() ~= current then return 0 end
remove(key)
redis.call('PUBLISH', channel, message)
return 1
`;

export const PUT = `${TABLE}
local value, ttl, capacity, evictable = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1'
local source, max_of_source, expected, current = ARGV[7], tonumber(ARGV[8]), ARGV[9], ARGV[10]
if expected == 'none' and live() then return 0 end
if expected == 'equal' and live() ~= current then return 0 end
-- A server that is full refuses a script only at its first write, if that one needs memory.
redis.call('HINCRBY', sources, '', 0)
local function remove_oldest(of)
  local oldest = redis.call('ZRANGEBYLEX', order, '[' .. of .. '\\0', '(' .. of .. '\\1', 'LIMIT', 0, 1)
  if oldest[1] then remove(string.sub(oldest[1], #of + 18)) end
end
remove(key)
for _, ended in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 100)) do
  remove(ended)
end
local own = evictable and tonumber(redis.call('ZSCORE', counts, source) or 0) or 0
if evictable and own >= max_of_source then
  remove_oldest(source)
  own = own - 1
end
if redis.call('ZCARD', ends) >= capacity then
  local most = redis.call('ZREVRANGE', counts, 0, 0, 'WITHSCORES')
  if not most[1] then return 0 end
  remove_oldest(own >= tonumber(most[2]) and source or most[1])
end
redis.call('HSET', records, key, value)
redis.call('ZADD', ends, text(now + ttl), key)
if evictable then
  local age = string.format('%016d', redis.call('HINCRBY', sources, '', 1))
  redis.call('HSET', sources, key, age .. source)
  redis.call('ZADD', order, 0, source .. '\\0' .. age .. key)
  redis.call('ZINCRBY', counts, 1, source)
end
expire_with(redis.call('ZREVRANGE', ends, 0, 0, 'WITHSCORES'), now, KEYS)
return 1
`;

/**
 * Times count from 2026, so that a double is exact to thousandths of a microsecond. A change of the rate
 * keeps the number of tokens.
 */
const BUCKET = `${TIME}
local buckets, rates, name = KEYS[1], KEYS[2], ARGV[2]
local period, count, capacity = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local interval, rate = period / count, ARGV[3] .. ' ' .. ARGV[4]
local now = time_ms(ARGV[1]) - 1767225600000
local held = redis.call('ZSCORE', buckets, name)
local full_at = math.max(now, held and tonumber(held) or now)
local former = held and redis.call('HGET', rates, name)
if former and former ~= rate then
  local of_period, of_count = string.match(former, '(%d+) (%d+)')
  local tokens = of_count - (full_at - now) * of_count / of_period
  full_at = now + (count - math.min(count, tokens)) * interval
end
local function drop(gone)
  redis.call('ZREM', buckets, gone)
  redis.call('HDEL', rates, gone)
end
local function keep()
  if full_at <= now then return drop(name) end
  if not held and redis.call('ZCARD', buckets) >= capacity then
    local full = redis.call('ZRANGEBYSCORE', buckets, '-inf', text(now), 'LIMIT', 0, 100)
    if #full == 0 then full = redis.call('ZRANGE', buckets, 0, 0) end
    for _, other in ipairs(full) do drop(other) end
  end
  redis.call('ZADD', buckets, text(full_at), name)
  redis.call('HSET', rates, name, rate)
  expire_with(redis.call('ZREVRANGE', buckets, 0, 0, 'WITHSCORES'), now, KEYS)
end
`;

/** Returns an empty text for a token, or the milliseconds until there is one. */
export const TAKE_TOKEN = `${BUCKET}
local wait = full_at + interval - period - now
local taken = wait <= math.min(interval / 1000, 0.001)
if taken then full_at = full_at + interval end
keep()
return taken and '' or text(math.ceil(wait))
`;

export const RETURN_TOKEN = `${BUCKET}
full_at = full_at - interval
keep()
return 1
`;
