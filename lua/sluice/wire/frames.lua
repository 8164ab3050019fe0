--- Splits a response's body into frames, in any chunks: server-sent events, or lines.

local M = {}

local Frames = {}
Frames.__index = Frames

--- frames.new(kind, put[, limit]): `kind` is "sse" or "lines". put(raw, data, name) is called at the end of each frame: its raw
-- bytes, its data (nil if it has none), the name of its event. A frame of more than `limit` bytes (8 MiB) is passed on as it
-- arrives, without data.
function M.new(kind, put, limit)
  return setmetatable({ kind = kind, put = put, limit = limit or 8388608, held = {}, size = 0, raw = {}, data = {}, count = 0 }, Frames)
end

-- Ends the current frame.
function Frames:dispatch()
  local raw, data, name = table.concat(self.raw), self.data[1] and table.concat(self.data, "\n"), self.name
  self.raw, self.data, self.name, self.size = {}, {}, nil, 0
  if raw ~= "" then
    self.count = self.count + 1
    self.put(raw, data, name)
  end
end

-- The line without its end.
local function without_end(line)
  local n = #line
  while n > 0 and (line:byte(n) == 10 or line:byte(n) == 13) do
    n = n - 1
  end
  return line:sub(1, n)
end

function Frames:line(line)
  local content = without_end(line)
  self.raw[#self.raw + 1] = line
  if self.kind == "lines" then
    self.data[1] = content:find "%S" and content or nil
    self:dispatch()
  elseif content == "" then
    self:dispatch()
  elseif content:sub(1, 6) == "data: " then -- most of them
    self.data[#self.data + 1] = content:sub(7)
  else
    local field, value = content:match "^([^:]*):? ?(.*)$"
    if field == "data" then
      self.data[#self.data + 1] = value
    elseif field == "event" then
      self.name = value
    end -- other fields and comments are ignored
  end
end

-- Adds a line or a part of one; `ends`: it includes the line end.
function Frames:take(piece, ends)
  self.size = self.size + #piece
  if self.passing then -- the rest of a frame that was too long
    self.passing = not (ends and (self.kind == "lines" or piece:find "^[\r\n]+$"))
    self.size, self.count = 0, self.count + 1
    self.put(piece)
  elseif self.size > self.limit then
    local raw = table.concat(self.raw) .. table.concat(self.held) .. piece
    self.raw, self.data, self.name, self.held, self.size = {}, {}, nil, {}, 0
    self.passing, self.count = not (ends and self.kind == "lines"), self.count + 1
    self.put(raw)
  else
    self.held[#self.held + 1] = piece
    if ends then
      local line = table.concat(self.held)
      self.held = {}
      self:line(line)
    end
  end
end

--- frames:feed(bytes, at) -> bytes, at: feeds bytes from `at` to the end of the first frame; returns where to continue. Lines of
-- server-sent events end with LF, CR LF or CR; a CR at the end of the bytes waits for the next ones.
function Frames:feed(bytes, at)
  if self.cr then
    bytes, at, self.cr = "\r" .. bytes:sub(at), 1, nil
  end
  if self.looked_at ~= bytes then
    self.looked_at, self.plain = bytes, self.kind == "lines" or not bytes:find("\r", at, true)
  end
  local plain, count = self.plain, self.count
  while at <= #bytes and count == self.count do
    if self.kind == "sse" and self:between() then -- keep-alives, empty lines and comments: one frame of all
      local from = at
      local stop
      repeat
        stop = from
        from = bytes:find("[^\r\n]", stop) or #bytes + 1
        local _, comment = bytes:find("^:[^\r\n]*\n\n", from)
        from = comment and comment + 1 or from
      until from == stop
      if stop > at + 1 and bytes:byte(stop - 1) == 10 then
        self.count = self.count + 1
        self.put(bytes:sub(at, stop - 1))
        return bytes, stop
      end
    end
    local stop = bytes:find(plain and "\n" or "[\r\n]", at, plain)
    if stop and bytes:byte(stop) == 13 then
      if stop == #bytes then
        self.cr, stop = true, stop - 1
        if stop >= at then
          self:take(bytes:sub(at, stop), false)
        end
        return bytes, #bytes + 1
      end
      stop = bytes:byte(stop + 1) == 10 and stop + 1 or stop
    end
    self:take(bytes:sub(at, stop or -1), stop ~= nil)
    at = (stop or #bytes) + 1
  end
  self.looked_at = at <= #bytes and bytes or nil
  return bytes, at
end

--- frames:between(): true if the next byte begins a frame.
function Frames:between()
  return not (self.cr or self.passing or self.held[1] or self.raw[1])
end

--- frames:finish(): ends the body; the last frame needs no empty line.
function Frames:finish()
  if self.cr then
    self.cr = nil
    self:take("\r", true)
  end
  if self.held[1] then
    local line = table.concat(self.held)
    self.held = {}
    self:line(line)
  end
  self:dispatch()
end

return M
