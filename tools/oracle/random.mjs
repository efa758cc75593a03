// Random numbers with a seed, so that they are the same every time: mulberry32.
export function seeded(state) {
  const below = (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
  return { below, pick: (list) => list[below(list.length)] };
}
