// Moments in the reader's own time zone and words: "today, 14:05", "12 Mar 2026, 14:05".
(() => {
  const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short", year: "numeric" });
  const near = new Intl.RelativeTimeFormat([], { numeric: "auto" });
  const midnight = (when) => new Date(when.getFullYear(), when.getMonth(), when.getDate());
  const said = (when) => {
    const days = Math.round((midnight(when) - midnight(new Date())) / 86400000);
    return `${Math.abs(days) <= 1 ? near.format(days, "day") : day.format(when)}, ${clock.format(when)}`;
  };
  const show = (place) => {
    const when = new Date(place.dateTime);
    if (Number.isNaN(when.getTime())) return;
    const words = said(when);
    if (place.textContent !== words) place.textContent = words;
    place.title = when.toLocaleString();
  };
  const all = () => document.querySelectorAll("time[data-local]").forEach(show);
  new MutationObserver(all).observe(document.documentElement, { childList: true, subtree: true });
  all();
})();
