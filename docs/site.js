// Wide tables and code are scrolled by keyboard as well, in browsers that do not see to it themselves.
new MutationObserver(() => {
  for (const each of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) each.tabIndex = 0;
}).observe(document, {childList: true, subtree: true});
