--- `sluice trace --svg`: draws a response. On the left the text, coloured by what each byte was parsed as; on the right the
-- events and the result.

local terminal = require "sluice.command.terminal"

local M = {}

local columns = { 62, 50 } -- characters of a line, left and right
local width, height = 7.8, 18 -- of a character, of a line, in pixels
local margin, gap = 16, 28
local most = 40 -- events listed

local colours = { text = "#24292f", reasoning = "#8250df", markup = "#9a6700", name = "#1a7f37", arguments = "#0550ae", error = "#cf222e",
  head = "#57606a" }

local function xml(text)
  return (text:gsub("[<>&]", { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;" }))
end

-- Width of a character in a monospaced font: two columns for pictographs and East Asian scripts.
local function columns_of(code)
  local wide = (code >= 0x1100 and code <= 0x115F) or (code >= 0x2E80 and code <= 0xA4CF) or (code >= 0xAC00 and code <= 0xD7A3)
    or (code >= 0xF900 and code <= 0xFAFF) or (code >= 0xFF00 and code <= 0xFF60) or (code >= 0x1F300 and code <= 0x1FAFF)
  return wide and 2 or 1
end

local function columns_of_word(word)
  local count = 0
  for _, code in utf8.codes(word) do
    count = count + columns_of(code)
  end
  return count
end

-- Lays pieces { kind, text } out in lines of `limit` columns, broken between words if possible: a list of lines, each a list of
-- { kind, text, column, columns }.
local function lay_out(pieces, limit)
  local lines, column = { {} }, 0
  local run
  local function newline()
    lines[#lines + 1], column, run = {}, 0, nil
  end
  local function add(kind, character, count)
    if column + count > limit then
      newline()
    end
    if not run then
      run = { kind = kind, text = "", column = column, columns = 0 }
      table.insert(lines[#lines], run)
    end
    run.text, run.columns, column = run.text .. character, run.columns + count, column + count
  end
  for _, piece in ipairs(pieces) do
    run = nil
    for word, blanks in terminal.safe(piece.text):gmatch "([^%s]*)(%s*)" do
      local count = columns_of_word(word)
      if column > 0 and column + count > limit and count <= limit // 2 then
        newline()
      end
      for _, code in utf8.codes(word .. blanks) do
        if code == 10 then
          newline()
        else
          add(piece.kind, code == 9 and " " or utf8.char(code), code == 9 and 1 or columns_of(code))
        end
      end
    end
  end
  return lines
end

-- One line as SVG. `textLength` fixes its width for any font.
local function drawn(line, left, top)
  local out = {}
  for _, run in ipairs(line) do
    out[#out + 1] = ('<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>\n')
      :format(left + run.column * width, top, colours[run.kind], (run.kind == "reasoning" and ' font-style="italic"')
        or ((run.kind == "name" or run.kind == "head") and ' font-weight="bold"') or "", run.columns * width, xml(run.text))
  end
  return table.concat(out)
end

-- The text, cut to at most `limit` bytes at the end of a character.
local function short(text, limit)
  if #text <= limit then
    return text
  end
  local stop = limit
  while text:byte(stop + 1) and text:byte(stop + 1) >= 0x80 and text:byte(stop + 1) < 0xC0 do
    stop = stop - 1
  end
  return text:sub(1, stop) .. "…"
end

--- picture.event(event) -> { kind, text }, its line in the list of events; nil if it has none.
function M.event(event)
  local kind = event.type
  if kind == "arguments" then
    return { kind = kind, text = ("%-11s%s"):format(kind, short((terminal.safe(event.text):gsub("%s+", " ")), columns[2] - 12)) }
  elseif kind == "text" or kind == "reasoning" then
    return { kind = kind, text = ("%-11s%s"):format(kind, short(terminal.quoted(event.text), columns[2] - 12)) }
  elseif kind == "call_begin" then
    return { kind = "name", text = ("%-11s%s"):format("call_begin", event.name) }
  elseif kind == "call_end" then
    return { kind = "name", text = ("%-11s%s%s"):format("call_end", event.status, event.valid and ", valid" or "") }
  elseif kind == "error" then
    return { kind = "error", text = ("%-11s%s"):format("error", event.code) }
  end
end

--- picture.draw(title, pieces, events, calls) -> SVG: pieces of the text { kind, text }, lines of events, calls { name, arguments }.
function M.draw(title, pieces, events, calls)
  local right = { { kind = "head", text = "events\n" } }
  for i, event in ipairs(events) do
    if i > most then
      right[#right + 1] = { kind = "head", text = ("and %d more\n"):format(#events - most) }
      break
    end
    right[#right + 1] = { kind = event.kind, text = event.text .. "\n" }
  end
  right[#right + 1] = { kind = "head", text = "\nresult: calls\n" }
  for _, call in ipairs(calls) do
    right[#right + 1] = { kind = "name", text = call.name .. " " }
    right[#right + 1] = { kind = "arguments", text = call.arguments .. "\n" }
  end
  table.insert(pieces, 1, { kind = "head", text = ("the model's output, read as %s\n"):format(title) })
  local sides = { lay_out(pieces, columns[1]), lay_out(right, columns[2]) }
  local lines = math.max(#sides[1], #sides[2])
  local split = margin + columns[1] * width + gap
  local whole, tall = split + columns[2] * width + margin, lines * height + 2 * margin
  local out = { ('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img" '
    .. 'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">\n<title>%s</title>\n'
    .. '<rect width="100%%" height="100%%" rx="6" fill="#f6f8fa"/>\n<path d="M%.1f %d V%d" stroke="#d0d7de"/>\n')
    :format(whole, tall, whole, tall, xml(terminal.safe(title)), split - gap / 2, margin, tall - margin) }
  for i = 1, lines do
    local top = margin + i * height - 5
    out[#out + 1] = drawn(sides[1][i] or {}, margin, top) .. drawn(sides[2][i] or {}, split, top)
  end
  return table.concat(out) .. "</svg>\n"
end

return M
