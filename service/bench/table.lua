-- Each thread of wrk plays at one table; the moves at the table are given as requests.
--
-- The argument is the beginning of the names of files, one for each thread: each has the thread's number and ".lua" added,
-- and returns {made = n, key = "…", moves = {{before, after}, …}}. Here n is the number of moves that were made already,
-- and a request is the two parts of a move with the Idempotency-Key between them: `key` and the number of moves made.
-- Each thread has its own file: if each thread read the plan of all threads, many threads would begin at different
-- times, while wrk counts from its own beginning.
-- A move counts as made once it is accepted: if its response is lost, the move is sent again with the same key.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
    thread:set("number", #threads)
end

function init(args)
    local mine = dofile(args[1] .. number .. ".lua")
    moves, key, made = mine.moves, mine.key, mine.made
    refused, refusal = 0, ""
end

function request()
    local move = moves[made % #moves + 1]
    return move[1] .. key .. made .. move[2]
end

function response(status, headers, body)
    if status >= 200 and status < 300 then
        made = made + 1
    else
        refused = refused + 1
        if refused == 1 then refusal = status .. " " .. body end
        wrk.thread:stop()
    end
end

function done(summary, latency, requests)
    local counts, refusals = {}, {}
    for place, thread in ipairs(threads) do
        counts[place] = thread:get("made")
        if thread:get("refused") > 0 then
            table.insert(refusals, string.format("%q", (thread:get("refusal"):gsub("[^ -~]", " "))))
        end
    end
    local errors = summary.errors
    print(string.format(
        '{"microseconds":%d,"p50_us":%d,"p99_us":%d,"broken":%d,"made":[%s],"refusals":[%s]}',
        summary.duration, latency:percentile(50), latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.timeout,
        table.concat(counts, ","), table.concat(refusals, ",")
    ))
end
