--- The nearest of several names, for messages about a name that does not exist.

local LONGEST = 200 -- bytes: a longer name resembles none, and looking would take long

--- nearest(name, names[, form]): the key of `names` most similar to `name`, or nil if none is similar. form: of a text with it.
local function nearest(name, names, form)
  local best, score
  if #name > LONGEST then
    return nil
  end
  for candidate in pairs(names) do
    candidate = tostring(candidate)
    local before, row = nil, {}
    for j = 0, #candidate do
      row[j] = j
    end
    for i = 1, #name do
      local next_row = { [0] = i }
      for j = 1, #candidate do
        local cost = name:byte(i) == candidate:byte(j) and 0 or 1
        next_row[j] = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + cost)
        if i > 1 and j > 1 and name:byte(i) == candidate:byte(j - 1) and name:byte(i - 1) == candidate:byte(j) then
          next_row[j] = math.min(next_row[j], before[j - 2] + 1) -- two swapped characters
        end
      end
      before, row = row, next_row
    end
    local distance = row[#candidate]
    if not score or distance < score or (distance == score and candidate < best) then
      best, score = candidate, distance
    end
  end
  if score and score <= math.max(1, math.floor(#name / 3)) then
    return form and form:format(best) or best
  end
end

return nearest
