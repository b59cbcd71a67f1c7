package event_test

import (
	"fmt"
	"reflect"
	"testing"

	"blipd/event"
)

// TestSame changes every leaf of a full value, one at a time: none but the time
// may leave it the same. A field that is added later cannot be forgotten.
func TestSame(t *testing.T) {
	time := map[string]bool{"Decision.Time": true}
	changeEach(t, time, (*event.Decision).Same)
	changeEach(t, nil, (*event.Intervention).Same)
	changeEach(t, nil, (*event.End).Same)
}

func changeEach[T any](t *testing.T, unlike map[string]bool, same func(a, b *T) bool) {
	t.Helper()
	a, b := new(T), new(T)
	fill(reflect.ValueOf(a).Elem())
	fill(reflect.ValueOf(b).Elem())
	if !same(a, b) {
		t.Fatalf("%T: equal values are not the same", *a)
	}
	leaves := 0
	walkLeaves(reflect.ValueOf(b).Elem(), reflect.TypeFor[T]().Name(), func(path string, v reflect.Value) {
		leaves++
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		change(v)
		if same(a, b) != unlike[path] || same(b, a) != unlike[path] {
			t.Errorf("%s changed: same is %v", path, same(a, b))
		}
		v.Set(before)
	})
	if leaves < reflect.TypeFor[T]().NumField() {
		t.Errorf("%T: %d leaves", *a, leaves)
	}
}

// fill gives every leaf a value that is not zero, and every list two elements.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	default:
		change(v)
	}
}

// walkLeaves visits every leaf; a list is one too, which change makes shorter.
func walkLeaves(v reflect.Value, path string, visit func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			walkLeaves(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkLeaves(v.Index(i), fmt.Sprintf("%s.%d", path, i), visit)
		}
		visit(path, v)
	default:
		visit(path, v)
	}
}

func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		v.Set(v.Slice(0, v.Len()-1))
	default:
		panic("event: no change for a " + v.Kind().String())
	}
}
