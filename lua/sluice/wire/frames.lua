--- Splits a response's body into frames, in any chunks: server-sent events, or lines.

local M = {}

local Frames = {}
Frames.__index = Frames

--- frames.new(kind, put[, limit]): `kind` is "sse" or "lines". put(raw, data, last) is called at the end of each frame: its raw
-- bytes, its data (nil if it has none), true if the body ended before the frame did. A frame of more than `limit` bytes (8 MiB) is passed
-- on as it arrives, without data; what is wrong with it comes after `last`, once.
function M.new(kind, put, limit)
  return setmetatable({ kind = kind, put = put, limit = limit or 8388608, held = {}, size = 0, raw = {}, data = {} }, Frames)
end

-- Ends the current frame.
function Frames:dispatch()
  local raw, data = table.concat(self.raw), self.data[1] and table.concat(self.data, "\n")
  self.raw, self.data, self.size = {}, {}, 0
  if raw ~= "" then
    self.put(raw, data, self.last)
  end
end

function Frames:line(line)
  local content = line:match "^(.-)\r?\n?$"
  self.raw[#self.raw + 1] = line
  if self.kind == "lines" then
    self.data[1] = content:find "%S" and content or nil
    self:dispatch()
  elseif content == "" then
    self:dispatch()
  else -- other fields, and comments, are ignored; servers write errors beside them
    self.data[#self.data + 1] = content:match "^data: ?(.*)$" or content:gsub("^error: ?({.*)$", '{"error":%1}'):match '^{"error.*'
      or content == "data" and "" or nil
  end
end

-- Adds a line or a part of one; `ends`: it includes the line end.
function Frames:take(piece, ends)
  self.held[#self.held + 1], self.size = piece, self.size + #piece
  if self.passing or self.size > self.limit then -- a frame that is too long
    local raw = table.concat(self.raw) .. table.concat(self.held)
    local problem = not self.passing and "a frame is too long, and was not read" or nil
    self.passing = not (ends and (self.kind == "lines" or self.passing and piece:find "^[\r\n]+$"))
    self.raw, self.data, self.held, self.size = {}, {}, {}, 0
    self.put(raw, nil, false, problem)
  elseif ends then
    local line = table.concat(self.held)
    self.held = {}
    self:line(line)
  end
end

--- frames:feed(bytes): feeds bytes. Lines of server-sent events end with LF, CR LF or CR; a CR at the end of the bytes waits for the
-- next ones.
function Frames:feed(bytes)
  if self.cr then
    bytes, self.cr = "\r" .. bytes, nil
  end
  local at, ends = 1, self.kind == "lines" and "\n" or "[\r\n]"
  while at <= #bytes do
    local stop = bytes:find(ends, at)
    if stop and bytes:byte(stop) == 13 then
      if stop == #bytes then
        self.cr = true
        return stop > at and self:take(bytes:sub(at, -2), false)
      end
      stop = bytes:byte(stop + 1) == 10 and stop + 1 or stop
    end
    self:take(bytes:sub(at, stop or -1), stop ~= nil)
    at = (stop or #bytes) + 1
  end
end

--- frames:finish() -> the line ends that the last frame lacks: ends the body.
function Frames:finish()
  local lacks = (self.cr or self.held[1] or self.raw[1] or self.passing) and (self.kind == "sse" and "\n\n" or "\n")
  self.last = true
  if self.cr or self.held[1] then
    self:take(self.cr and "\r" or "", true)
  end
  self:dispatch()
  return lacks or ""
end

return M
