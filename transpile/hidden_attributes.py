"""The names of attributes by which what stands for a run-time value keeps what it needs itself.

Where a user's code asks for one of these names, a stand-in would answer with what is its own. Such an access alone
becomes a call, so that all others cost nothing. `transpile` knows the names as text; that they are all there is to
hide is tested on the classes.
"""

from __future__ import annotations

# fmt: off
HIDDEN = frozenset((
    "__array_priority__", "__dict__", "__doc__", "__jax_array__", "__module__", "__slots__", "__torch_function__",
    "_abc_impl", "_abstract", "_add", "_after", "_again", "_alone", "_array", "_arrays", "_as_begun", "_as_dict",
    "_as_set", "_at", "_at_now", "_backwards", "_become", "_become_row", "_before", "_binary", "_bounds", "_call",
    "_changed", "_characters", "_check", "_check_open", "_check_place", "_checked", "_choice", "_code", "_columns",
    "_combine", "_combined", "_compared", "_computed", "_condition", "_contents", "_count", "_dissolve", "_dtype",
    "_each", "_element", "_elements", "_end", "_field", "_fields", "_first", "_for_each", "_form", "_free", "_from",
    "_functions", "_gains", "_given", "_greatest", "_held", "_here", "_in_order", "_initial", "_inside", "_ints",
    "_is", "_is_as_before", "_is_closed", "_is_of_one", "_is_one_with", "_is_scalar", "_is_sized", "_item",
    "_item_count", "_items", "_items_of", "_iterator", "_keeps_its_length", "_kept", "_kind", "_kinds", "_length",
    "_like", "_line", "_lines", "_list_of", "_lists", "_lose", "_loses", "_made", "_made_of", "_merged", "_method",
    "_methods", "_mix_unless", "_moved", "_moved_on", "_moves", "_needs_characters", "_needs_concrete",
    "_needs_size", "_never_has_keys", "_no_entries", "_now", "_numbers", "_numeric", "_of_other", "_on_new_memory",
    "_one_by_one", "_opened", "_order", "_other", "_over", "_owner", "_part", "_parts", "_place", "_place_of_index",
    "_places", "_plain", "_popped", "_position", "_push_each", "_push_gathered", "_readonly", "_reads", "_record",
    "_reflected_greatest", "_refusal", "_refuse", "_removals", "_remove_at", "_repeated", "_repeating", "_restart",
    "_set_index", "_set_order", "_set_slice", "_shape", "_share", "_shown", "_source", "_spent", "_staged_method",
    "_step", "_steps", "_tables", "_taken", "_test", "_text", "_texts", "_total", "_typed", "_unary", "_under_way",
    "_used_up", "_value", "_what", "_wholes", "_width", "_without", "_write", "abstract", "add_new_", "affine",
    "among", "apart_", "are_of", "arena_", "as_array", "as_dict_", "as_indices", "as_indices_", "as_items",
    "assign", "assuming", "at", "at_once", "atom", "bare_", "become", "begins_anew_", "begun", "begun_", "bind_row",
    "bounds_", "call", "capacity", "cast", "changes", "chosen", "columns", "contains_", "contents", "copied_",
    "count_", "countable_", "counted", "counter_of_", "each", "element", "element_", "element_of", "empty_", "end",
    "end_errors", "ended_", "entry_", "exact_", "excluding", "extents", "extra_", "first", "first_place_",
    "folded_", "for_each", "found_", "free", "free_", "fresh", "gathers_in_", "given_", "go_back_", "graph_",
    "grown_", "has_lost_", "has_records", "has_several_dtypes", "has_several_ranks", "has_several_types", "held_",
    "holds", "in_place", "index_", "index_in_", "inplace", "insert_", "insert_first_", "integral", "interval",
    "is_dynamic", "is_few", "is_fixed", "is_gathered_", "is_known", "is_readonly", "is_sized", "is_view", "items",
    "items_or", "iterator_", "keeps_", "key_at_", "keys_", "keywords", "kind_", "kinds", "kinds_", "last_place_",
    "leads_to_", "leave_", "left_packed", "length", "length_", "like_", "lists_", "little", "lost_", "made",
    "members_", "memory", "memory_", "merges_with", "method", "mix_", "most", "names_", "native", "nested",
    "next_or", "no_parts_", "number", "number_", "number_as", "of_bounds_", "of_columns_", "of_objects",
    "of_plain_numbers", "opened_", "options", "order_", "origin", "original", "origins", "out_", "overwrite",
    "packed_alone", "padded", "parts", "parts_", "parts_of", "passing", "path", "place_", "place_of_", "placed_",
    "plain_", "positions", "possible_", "progress_", "pull", "put_", "put_all_", "python", "readonly", "rebuild_",
    "refuse_", "refuse_elsewhere", "refuse_library", "removals_", "remove_at_", "repeated_", "request_", "resized_",
    "resolve", "resume", "returned", "row_binding", "run", "same_members_", "sender", "separate", "serial", "set",
    "set_order_", "settings_", "site", "size_", "slot_of_", "source_", "start_", "state", "stays_apart", "steps",
    "steps_from_", "storage", "strict", "tag", "take_up", "through", "unbind_row", "under_way", "unpacked_",
    "valid", "values_", "viewed", "want_resumable_", "what", "whole", "whole_", "with_memory", "without_none",
    "without_undefined", "word_", "worth", "written_",
))
# fmt: on
